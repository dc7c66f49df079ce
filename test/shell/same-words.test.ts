/** Every reader of the shell takes the same words from the same command lines, and bash takes them, too. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { wordRoles } from '../../src/lib/settings/trust/word-roles.ts'
import { simpleCommand, wordsRead, wordsWithTargets } from '../../src/lib/shell/command-words.ts'
import { commandsHeldBy } from '../../src/lib/shell/nested-commands.ts'
import { parseShell } from '../../src/lib/shell/parse.ts'
import { bashTool } from '../../src/lib/tools/bash/bash.ts'
import { quickLeaf } from '../../src/lib/shell/split-words.ts'

/** A line; whether it contains only simple commands; the words of each command, null where only the shell knows. */
type Row = readonly [line: string, plain: boolean, commands: readonly (readonly (string | null)[])[]]

const ROWS = readFileSync(new URL('../fixtures/command-lines.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as Row)

const knownIn = ([, , commands]: Row): readonly string[] => commands.flat().filter(word => word !== null)

/** Whether the words are among the texts, in their order. */
function inOrder(words: readonly string[], texts: readonly string[]): boolean {
  let at = 0
  for (const text of texts) if (text === words[at]) at++
  return at === words.length
}

const missedBy = (read: (line: string) => readonly string[]): readonly string[] =>
  ROWS.filter(row => !inOrder(knownIn(row), read(row[0]))).map(([line]) => line)

test('there are 500 lines, and the parser takes from each what it takes', () => {
  expect(ROWS).toHaveLength(500)
  for (const [line, plain, commands] of ROWS) {
    const { leaves, plain: isPlain, readable } = parseShell(line)
    const words = leaves.map(leaf => [...leaf.assignments, ...leaf.words].map(word => (word.known ? word.text : null)))
    const read = readable ? words.filter(each => each.length > 0) : []
    expect([line, isPlain, read]).toEqual([line, plain, commands])
  }
})

test('hook commands and lint read these words', () => {
  expect(missedBy(wordsWithTargets)).toEqual([])
  expect(missedBy(wordsRead)).toEqual([])
})

test('trust reads these words; of code in another language, the words in it', () => {
  const missed = ROWS.filter(row => {
    const texts = new Set(wordRoles(row[0], undefined, new Map())?.map(({ text }) => text))
    const isRead = (word: string): boolean =>
      texts.has(word) || word.split(/[^\w./-]+/).every(each => each === '' || texts.has(each))
    return !knownIn(row).every(isRead)
  })
  expect(missed.map(([line]) => line)).toEqual([])
})

test('rules read these words, and call the rest uncertain', () => {
  for (const [line, , commands] of ROWS) {
    const { commands: held, unsure } = commandsHeldBy(line)
    const read = held.filter(({ start }) => start === 0).map(({ words }) => words.map(word => word ?? null))
    const isAssignment = (word: string | null): boolean => /^\w+\+?=/.test(word ?? '')
    for (const words of commands) {
      const first = words.findIndex(word => !isAssignment(word))
      if (first !== -1 && words[first] !== null) expect(read, line).toContainEqual(words.slice(first))
    }
    if (!parseShell(line).flat) expect(unsure, line).toBe(true)
  }
})

test('what is provably one command has exactly these words, and only plain commands are read-only Bash', () => {
  for (const [line, plain, commands] of ROWS) {
    const words = simpleCommand(line)
    if (words !== undefined) expect([plain, commands]).toEqual([true, [words]])
    if (bashTool.readOnly({ command: line })) expect(parseShell(line).flat, line).toBe(true)
  }
})

test('bash makes the same words of each that is provably one command', () => {
  const simple = ROWS.flatMap(([line]) => (simpleCommand(line) === undefined || /[<>]/.test(line) ? [] : [line.trim()]))
  expect(simple.length).toBeGreaterThan(200)
  // The words are printed and not run.
  const script = simple.map(line => `printf '%s\\0' ${line}\nprintf '\\1'\n`).join('')
  const printed = execFileSync('bash', ['--noprofile', '--norc'], { input: script, encoding: 'utf8' })
  const made = printed.split('\x01').map(words => words.split('\0').slice(0, -1))
  expect(made.slice(0, -1)).toEqual(simple.map(line => simpleCommand(line)))
})

test('bash can read each line that the parser calls plain', () => {
  const refused = ROWS.filter(([line, plain]) => plain && !isSyntax(line))
  expect(refused.map(([line]) => line)).toEqual([])
})

function isSyntax(line: string): boolean {
  try {
    execFileSync('bash', ['--noprofile', '--norc', '-n', '-c', line], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

test('what is read without the parser is what the parser reads', () => {
  const quick = ROWS.map(([line]) => line).filter(line => quickLeaf(line) !== undefined)
  expect(quick.length).toBeGreaterThan(150)
  // A comment behind it makes the parser read it.
  for (const line of quick) expect(parseShell(`${line} #`).leaves).toEqual([quickLeaf(line)])
})
