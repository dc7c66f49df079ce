import * as fc from '../../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { bashTool } from '../../../src/lib/tools/bash/bash.ts'

const readOnly = (command: string): boolean => bashTool.readOnly({ command })

describe('commands that change nothing', () => {
  test.each([
    'ls',
    'ls -la src',
    'pwd',
    'cat a.txt b/c.txt',
    'head -n 5 a.txt',
    'grep -rn "to do" src',
    "grep -E 'a|b;c' file",
    'echo hi',
    'rg --files-with-matches foo src',
    'git status',
    'git status --short -b',
    'git log --oneline -n 5',
    'git diff --cached --stat',
    'git show HEAD',
    '  wc -l a.txt  ',
    'cat < a',
    'ls | head',
    'git log --oneline | head -5',
    'cat f | grep x && echo yes',
    'find . -name "*.ts"',
    'timeout 5 ls',
    `l's'`,
    'ls # all',
    // Where it leads is for rules to say.
    'cat /etc/passwd',
    'cat ../secret'
  ])('%s', command => {
    expect(readOnly(command)).toBe(true)
  })
})

describe('all others', () => {
  test.each([
    '',
    'rm a',
    'ls; rm a',
    'ls && rm a',
    'ls | tee a',
    'ls | xargs rm',
    'find . -exec touch {} +',
    'find . -exec grep -l x {} +',
    'env ls',
    'command ls',
    'ls > a',
    'ls >a',
    'echo $(rm a)',
    'echo `rm a`',
    'echo "$(rm a)"',
    'echo "a`rm a`"',
    'A=1 ls',
    'PATH=. ls',
    './ls',
    '/bin/ls',
    'ls *',
    'ls ?',
    'ls [a]',
    'ls {a,b}',
    'ls ~',
    'ls\nrm a',
    '(ls)',
    '{ ls; }',
    '! ls',
    'rg --pre=./x foo',
    "rg '--pre' ./x foo",
    'rg -z foo',
    'rg -iz foo',
    'rg --search-zip foo',
    'rg --hostname-bin x foo',
    'git',
    'git commit',
    'git -c core.pager=x log',
    'git log --output=a',
    'git log --outp=a',
    'git diff --ext-diff',
    'git show --textconv',
    'git diff --no-index a b',
    'git -C x status',
    'git --git-dir=x status',
    'find -delete',
    'sort -o a b',
    'sed -i s/a/b/ c',
    'tee a',
    'xargs ls',
    'eval ls',
    'cd src'
  ])('%j', command => {
    expect(readOnly(command)).toBe(false)
  })

  test('not even these in the background', () => {
    expect(bashTool.readOnly({ command: 'ls', run_in_background: true })).toBe(false)
  })

  test('whatever the shell would look at twice', () => {
    const special = fc.constantFrom('$(', '`', '; x', '& x', '| x', '<(', '>', '(', ')', '\nx', '\r')
    const plain = fc.constantFrom('ls', 'cat', 'echo', 'grep', 'git status')
    const rest = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '-', '.', '/') })
    fc.assert(
      fc.property(plain, rest, special, rest, (command, before, char, after) => {
        expect(readOnly(`${command}${before}${char}${after}x`)).toBe(false)
      })
    )
  })
})
