/** A policy that is edited between two calls, 1,000 times: none is judged by what was there before. */
import { spawn } from 'node:child_process'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ended } from '../../support/cli-stage.ts'
import { refusing, sayingNo, serverScene, withPackage, type ServerScene } from './warm-scene.ts'

withPackage()

/** The same length and the same times: only the content tells. */
const wordOf = (edit: number): string => `word-${String(edit).padStart(4, '0')}`
const EPOCH = 1_700_000_000

function put(scene: ServerScene, name: string, content: string, mode?: number): void {
  utimesSync(scene.write(name, content, mode), EPOCH, EPOCH)
}

async function trust(scene: ServerScene): Promise<void> {
  const args = [join(scene.package, 'dist/cli.js'), 'hooks', 'trust']
  const ran = await ended(spawn(process.execPath, args, { cwd: join(scene.folder, 'project'), env: scene.env }))
  if (ran.code !== 0) throw new Error(ran.stderr)
}

interface Kind {
  readonly edits: number
  begin(scene: ServerScene): void
  /** Makes the policy say this. */
  edit(scene: ServerScene, word: string): void | Promise<void>
  /** Node keeps modules: each version is asked twice, so that there is an old one to answer by. */
  readonly twice?: boolean
}

const KINDS: Readonly<Record<string, Kind>> = {
  'the settings': {
    edits: 300,
    begin: () => undefined,
    edit: (scene, word) => put(scene, 'home/.claude/settings.json', JSON.stringify(sayingNo(word)))
  },
  'a rule': {
    edits: 100,
    begin: () => undefined,
    edit: (scene, word) =>
      put(scene, 'home/.claude/settings.json', JSON.stringify({ permissions: { deny: [`Bash(${word})`] } }))
  },
  'the script of a hook': {
    edits: 250,
    begin: ({ home, settings }) =>
      settings({ hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: `${home}/check.sh` }] }] } }),
    edit: (scene, word) => put(scene, 'home/check.sh', `#!/bin/sh\necho ${word} >&2; exit 2\n`, 0o755)
  },
  'a module': {
    edits: 100,
    twice: true,
    begin: ({ module }) => module('"none"'),
    edit: (scene, word) => put(scene, 'home/.claude/policy.mjs', refusing(`'${word}'`))
  },
  'what a module imports': {
    edits: 100,
    twice: true,
    begin: ({ module }) => module('word', `import { word } from './deep/words.mjs'`),
    edit: (scene, word) => put(scene, 'home/.claude/deep/words.mjs', `export const word = '${word}'\n`)
  },
  'a file that a module reads': {
    edits: 50,
    twice: true,
    begin: ({ module }) =>
      module(
        'word',
        `import { readFileSync } from 'node:fs'\nconst word = readFileSync(process.env.HOME + '/word', 'utf8')`
      ),
    edit: (scene, word) => put(scene, 'home/word', word)
  }
}

const old: string[] = []
let [edits, calls, colds] = [0, 0, 0]

test.each(Object.entries(KINDS))('%s, edited between two calls', async (name, kind) => {
  const scene = serverScene()
  kind.begin(scene)
  for (let edit = 0; edit < kind.edits; edit++, edits++) {
    const word = wordOf(edit)
    await kind.edit(scene, word)
    for (let time = 0; time < (kind.twice === true ? 2 : 1); time++, calls++) {
      if (time > 0) await scene.warm()
      const said = await scene.ask(name === 'a rule' ? { command: word } : {})
      if (name === 'a rule' ? !said.includes(`Bash(${word})`) : !said.includes(word))
        old.push(`${name}: ${word}: ${said}`)
    }
  }
  colds += scene.colds()
  expect(old).toEqual([])
})

test('trust, given and lost between two calls', async () => {
  const scene = serverScene()
  scene.settings({})
  for (let edit = 0; edit < 50; edit++, edits += 2, calls += 2) {
    put(scene, 'project/.claude/settings.json', JSON.stringify(sayingNo(wordOf(edit))))
    const before = await scene.ask()
    if (!before.includes('not trusted')) old.push(`untrusted: ${wordOf(edit)}: ${before}`)
    await trust(scene)
    const after = await scene.ask()
    if (!after.includes(wordOf(edit))) old.push(`trusted: ${wordOf(edit)}: ${after}`)
  }
  colds += scene.colds()
  expect(old).toEqual([])
})

test('all of them together', () => {
  console.log(`${edits} edits, ${calls} calls, ${colds} of them by a new process, ${old.length} by an old policy`)
  expect(edits).toBeGreaterThanOrEqual(1_000)
  expect(old).toEqual([])
  // Otherwise nothing was kept that could have been old.
  expect(colds).toBeLessThan(calls / 2)
})
