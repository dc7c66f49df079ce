/** What a skill is called with, at the places that its words have for it. */
import { describe, expect, test } from 'vitest'
import { withArguments } from '../../../src/lib/agent/instructions/skills.ts'

const VALUES = { CLAUDE_SKILL_DIR: '/skills/a', CLAUDE_SESSION_ID: 'session-1' }
const told = (text: string, args: string): string => withArguments(text, args, VALUES)

describe('places', () => {
  test.each([
    ['all of it, as it was typed', '<$ARGUMENTS>', `a  'b c'`, `<a  'b c'>`],
    ['a word by its place, from 0', '$ARGUMENTS[0]|$ARGUMENTS[1]', 'a b', 'a|b'],
    ['the short form of it', '$0|$1', 'a b', 'a|b'],
    ['two digits', '$10$ARGUMENTS[10]', '0 1 2 3 4 5 6 7 8 9 ten', 'tenten'],
    ['a word that was not given', '$0 $1 $ARGUMENTS[7]', 'a', 'a $1 $ARGUMENTS[7]'],
    ['what only begins like a place', '$0 $1st $ARGUMENTSX $HOME ${HOME}', 'a b', 'a $1st $ARGUMENTSX $HOME ${HOME}'],
    ['its folder and its session', '${CLAUDE_SKILL_DIR} ${CLAUDE_SESSION_ID}', '', '/skills/a session-1'],
    ['no arguments', 'x $ARGUMENTS costs $5', '', 'x  costs $5']
  ])('%s', (_, text, args, expected) => {
    expect(told(text, args)).toBe(expected)
  })

  test('where no place is filled in, the arguments stand at the end', () => {
    expect(told('Tidy up.', 'the rest')).toBe('Tidy up.\n\nARGUMENTS: the rest')
    expect(told('It costs $5 in ${CLAUDE_SKILL_DIR}.', 'a')).toBe('It costs $5 in /skills/a.\n\nARGUMENTS: a')
  })

  test('what was typed is filled in nowhere', () => {
    expect(told('$0 and $1', "'$1' '${CLAUDE_SESSION_ID}'")).toBe('$1 and ${CLAUDE_SESSION_ID}')
    expect(told('$ARGUMENTS', '$& $0 $ARGUMENTS')).toBe('$& $0 $ARGUMENTS')
  })
})

test.each([
  ['a "b c" d', ['a', 'b c', 'd']],
  [`'b "c"' d`, ['b "c"', 'd']],
  ['a\\ b c', ['a b', 'c']],
  ['x="b c"', ['x=b c']],
  ['"a \\"b\\""', ['a "b"']],
  ["don't stop", ["don't", 'stop']],
  ['"" b', ['', 'b']],
  ['two\nlines\tand', ['two', 'lines', 'and']]
])('the words of %j', (args, words) => {
  const places = words.map((_, place) => `$${place}`).join('|')
  expect(told(`${places}|$${words.length}`, args)).toBe([...words, `$${words.length}`].join('|'))
})
