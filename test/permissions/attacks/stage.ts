/** A project with a denied folder, links into it, and a repository, in which commands are judged as in a session. */
import type { PathLookup, Policy, Rule, Ruling } from '../../../src/lib/permissions/policy.ts'
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { decide } from '../../../src/lib/permissions/decide.ts'
import { ruledFiles } from '../../../src/lib/permissions/ruled-files.ts'
import { onlyReads } from '../../../src/lib/shell/only-reads.ts'
import { isThere, namesInFolder, resolvePath } from '../../../src/lib/world/files/paths.ts'
import { repositoryFacts } from '../../../src/lib/world/files/repository.ts'
import { HOME } from '../permission-kit.ts'

export interface Stage {
  readonly root: string
  judge(command: string, rules: readonly Rule[], more?: Partial<Policy> & Pick<PathLookup, 'searchPath'>): Ruling
  remove(): void
}

export function attackStage(): Stage {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-')))
  for (const file of ['secrets/k', 'secrets/deep/k', 'src/a.ts', 'f', 'g', 'log', '.agent/x', 'README.md', 'evil.sh']) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), 'x\n')
  }
  symlinkSync('secrets', join(root, 'linkdir'))
  symlinkSync('secrets/deep', join(root, 'l'))
  linkSync(join(root, 'secrets/k'), join(root, 'hardlink'))
  execFileSync('git', ['init', '-q', '--template='], { cwd: root })
  return {
    root,
    judge(command, rules, { searchPath, ...more } = {}) {
      const policy: Policy = { rules, mode: 'default', roots: [root], home: HOME, ...more }
      const lookup = { real: resolvePath, has: isThere, list: namesInFolder, repository: repositoryFacts }
      const facts = { cwd: root, ...lookup, searchPath, ruled: ruledFiles(policy) }
      const subject = { kind: 'command', command } as const
      return decide({ tool: 'Bash', input: { command }, subject, readOnly: onlyReads(command), ...facts }, policy)
    },
    remove: () => rmSync(root, { recursive: true })
  }
}

/** A stage for one test. */
export function onStage(use: (stage: Stage) => void): void {
  const stage = attackStage()
  try {
    use(stage)
  } finally {
    stage.remove()
  }
}

/** Runs git in a folder, as a person whom it knows. */
export function runGit(folder: string, ...args: readonly string[]): void {
  mkdirSync(folder, { recursive: true })
  const known = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'protocol.file.allow=always']
  execFileSync('git', [...known, ...args], { cwd: folder, stdio: 'ignore' })
}

/** Adds lines to the configuration of the repository in a folder. */
export const configure = (folder: string, text: string): void =>
  appendFileSync(join(folder, '.git/config'), `\n${text}\n`)

export function writeProgram(file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 })
}
