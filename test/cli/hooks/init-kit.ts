import { spawnSync } from 'node:child_process'
import { cliStage, type CliStage } from '../../support/cli-stage.ts'

export const INIT = ['hooks', 'init']
export const SETTINGS = 'project/.claude/settings.json'
export const PROTECT = 'project/.claude/hooks/protect-repository.mjs'
const STOP = 'project/.claude/hooks/tests-before-stop.mjs'
export const FILES = [PROTECT, STOP, 'project/.claude/tests/starter-policy.hooktest.yaml', SETTINGS]

/** A repository with tests, as people have one: `npm test` fails while there is a file `broken`. */
export function repository(): CliStage {
  const here = cliStage()
  here.write('project/package.json', { scripts: { test: 'node check.js' } })
  here.write('project/check.js', "if (require('node:fs').existsSync('broken')) throw new Error('still broken')\n")
  here.write('project/.env', 'TOKEN=of-a-test\n')
  here.write('project/src/app.js', 'export const answer = 42\n')
  spawnSync('git', ['init', '-q'], { cwd: here.project, env: { ...process.env, ...here.env } })
  return here
}
