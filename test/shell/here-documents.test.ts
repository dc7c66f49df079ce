/** `"$(cat <<'END' … END)"`, as agents write messages of commits: the word that the parser takes is the word that bash passes. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { parseShell } from '../../src/lib/shell/parse.ts'
import * as fc from '../support/fast-check.ts'

const PIECES = [
  'fix',
  "don't",
  '"q"',
  '`touch p`',
  '$(touch p)',
  '${HOME}',
  '$HOME',
  '(',
  ')',
  ';',
  '&&',
  '|',
  '#',
  '!',
  '*',
  '~',
  "EOF '",
  ' EOF',
  'EOF)',
  '\n',
  '\n',
  ' ',
  '<<',
  "<<'X'",
  '}',
  'é',
  'EOF',
  '\nEOF\n',
  '\nEOF\n)',
  '\\',
  '"'
]

const wordsOfBash = (command: string): readonly string[] =>
  spawnSync('bash', ['-c', command.replace(/^printf/, `printf '%s\\0'`)], { encoding: 'utf8', cwd: '/proc' })
    .stdout.split('\0')
    .slice(0, -1)

test('random texts: flat only where bash passes exactly these words', () => {
  let flatOnes = 0
  const texts = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 }).map(pieces => pieces.join(''))
  fc.assert(
    fc.property(texts, body => {
      const command = `printf a "$(cat <<'EOF'\n${body}\nEOF\n)" b`
      const { leaves, flat } = parseShell(command)
      const [first, ...rest] = leaves
      // A variable in it stays as it is written, and is not known.
      if (!flat || first?.words.every(({ known }) => known) !== true) return
      flatOnes++
      expect(rest.map(({ words }) => words)).toEqual([[{ text: 'cat', known: true }]])
      expect(first.words.slice(1).map(({ text }) => text)).toEqual(wordsOfBash(command))
    }),
    { numRuns: 300 }
  )
  expect(flatOnes).toBeGreaterThan(100)
})

test.each([
  `git commit -m "$(cat <<'EOF'\nx\nEOF\ntouch p\n)"`,
  `git commit -m "$(cat <<EOF\n$(touch p)\nEOF\n)"`,
  `git commit -m $(cat <<'EOF'\nx --amend\nEOF\n)`,
  `git commit -m "$(cat > p <<'EOF'\nx\nEOF\n)"`,
  `git commit -m "$(cat <<'EOF' | sh\ntouch p\nEOF\n)"`,
  `git commit -m "$(sh <<'EOF'\ntouch p\nEOF\n)"`,
  `git commit -m "$(cat <<'EOF'\nx\nEOF\n; touch p)"`,
  `git commit -m "$(cat f <<'EOF'\nx\nEOF\n)"`,
  `! git commit -m x`,
  `time -p git commit -m x`
])('is not a plain list of commands: %j', command => {
  expect(parseShell(command).flat).toBe(false)
})
