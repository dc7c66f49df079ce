/** Commands: what is provably one, what rules that allow say of it, and what gets past rules that refuse: nothing. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from '../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { simpleCommand } from '../../src/lib/shell/command-words.ts'
import { allowRule, askRule, bashFacts, decided, denyRule } from './permission-kit.ts'
import { repetitions } from '../support/seed.ts'

describe('one simple command', () => {
  test.each([
    ['git status', ['git', 'status']],
    ['  git \t status \n', ['git', 'status']],
    ['git commit -m "a; rm x && `"', undefined],
    ['git commit -m "a; rm x && b"', ['git', 'commit', '-m', 'a; rm x && b']],
    [`git log --grep='$(rm x)'`, ['git', 'log', '--grep=$(rm x)']],
    [`echo 'a'\\''; rm x; #'`, ['echo', `a'; rm x; #`]],
    ['echo "a\\"; rm x; #"', ['echo', 'a"; rm x; #']],
    ['echo "\\$(rm x)" "\\n"', ['echo', '$(rm x)', '\\n']],
    ['echo a\\;rm x', ['echo', 'a;rm', 'x']],
    ['r""m x', ['rm', 'x']],
    [`r'm' ''`, ['rm', '']],
    ['\\rm x', ['rm', 'x']],
    ['git show HEAD~1 HEAD^ stash@{0} a#b', ['git', 'show', 'HEAD~1', 'HEAD^', 'stash@{0}', 'a#b']],
    ['git status >/dev/null 2>&1', ['git', 'status']],
    ['ls 2> /dev/null', ['ls']],
    ['find . -name "*.ü"', ['find', '.', '-name', '*.ü']]
  ])('%j', (text, words) => {
    expect(simpleCommand(text)).toEqual(words)
  })

  test.each([
    '',
    ' ',
    'git status; rm x',
    'git status;',
    'git status &',
    'git status && rm x',
    'git status || rm x',
    'git status | rm x',
    'git status\nrm x',
    'git status \\\n; rm x',
    'git log $(rm x)',
    'git log "$(rm x)"',
    'git log `rm x`',
    'echo $HOME',
    'echo "$HOME"',
    'echo ${HOME}',
    `$'\\x72m' x`,
    'git diff <(rm x)',
    'git status > f',
    'git status >> f',
    'git status &> f',
    'git status >| f',
    'git status >& f',
    'git status >/dev/nullx',
    'cat < f',
    'cat <<E\nx\nE',
    'cat <<< x',
    'exec {n}>f',
    'A=1 git status',
    'PATH=. git status',
    'a[0]=1',
    'ls *.ts',
    '/???/r? x',
    'ls [ab]',
    '{rm,x}',
    'ls {a,b}',
    '(rm x)',
    '{ rm x; }',
    '! rm x',
    'if :',
    'while true',
    'time rm x',
    'f() { rm x; }',
    'git status # x',
    'ls ~/x',
    'git "x',
    "git 'x",
    'git x\\',
    // CR, NBSP, line separator, bidi, zero width, tag, NUL, ESC, a blank that has no width, a lone surrogate
    ...['\r', '\u00A0', '\u2028', '\u202E', '\u200B', '\u{E0061}', '\0', '\u001B', '\u3164', '\u2800', '\uD800'].map(
      odd => `git status${odd}x`
    ),
    // Cyrillic
    'gіt status',
    `echo ${'x'.repeat(70_000)}`
  ])('%j is not provably one', text => {
    expect(simpleCommand(text)).toBeUndefined()
  })

  test('whatever the shell reads as something else is never taken for one', () => {
    const dangerous = fc.constantFrom(';', '&', '|', '\n', '`', '$(', '>', '<', '(', ')', '*', '?', '$x', '\r', '#')
    const words = fc.stringMatching(/^[a-z][a-z ]{0,5}$/)
    fc.assert(
      fc.property(words, dangerous, words, (a, bad, b) => {
        expect(simpleCommand(`git ${a} ${bad}${b}`)).toBeUndefined()
      })
    )
  })

  test('bash sees the same words', () => {
    const pieces = [
      'a',
      'b-c',
      ' ',
      ' ',
      '  ',
      "'",
      "'",
      '"',
      '"',
      '\\',
      '$',
      '=',
      '~',
      '{',
      '}',
      ',',
      '#',
      '!',
      ';',
      'é',
      '@'
    ]
    const texts = fc
      .sample(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), 20_000)
      .map(parts => `a ${parts.join('')}`)
      .filter(text => simpleCommand(text) !== undefined)
    expect(texts.length).toBeGreaterThan(1_000)
    const folder = mkdtempSync(join(tmpdir(), 'carabiner-'))
    try {
      const script = texts.map(text => `printf '%s\\0' ${text}\nprintf '\\1\\0'`).join('\n')
      const said = execFileSync('bash', ['--noprofile', '--norc'], { cwd: folder, input: script, encoding: 'utf8' })
      const seen = said.split('\u0001\0').slice(0, -1)
      expect(seen.map(words => words.split('\0').slice(0, -1))).toEqual(texts.map(text => simpleCommand(text)))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('rules that allow', () => {
  test.each([
    ['git status', 'git status', true],
    ['git status', 'git  status', true],
    ['touch a', 'touch a b', false],
    ['git status', `git 'status'`, true],
    ['git status x', `git 'status x'`, false],
    ['git *', 'git status', true],
    ['git *', 'git', true],
    ['git *', 'gitk', false],
    ['git:*', 'git status', true],
    ['git:*', 'git', true],
    ['git:*', 'gitk', false],
    ['git*', 'git status', true],
    // Of a program without a row a rule has to write the name.
    ['git*', 'gitk', false],
    ['gitk *', 'gitk main', true],
    ['gitk *', 'gitk --all', false],
    ['npm run test:*', 'npm run test -- a', true],
    ['npm run test:*', 'npm run tests', false],
    ['git * main', 'git push main', true],
    ['* --version', 'node --version', true],
    ['git *', 'git commit -m "drop; rm old"', true],
    ['git *', 'git status; rm x', false],
    ['git *', 'git log $(rm x)', false],
    ['git *', '/usr/bin/git status', false],
    ['git *', 'sudo git status', false],
    // Options that change what git runs must be written in the rule.
    ['git *', `git -c alias.x='!rm x' x`, false],
    ['git *', 'git --exec-path=. status', false],
    ['git -c *', 'git -c a=b status', false],
    ['git -c a=b *', 'git -c a=b status', true],
    ['git -c a=b *', 'git -c a=b -c c=d status', false],
    ['find *', 'find . -delete', false],
    // A prefix rule ignores blanks in front.
    ['git *', '  git status', true]
  ])('Bash(%s) and %j: %s', (specifier, command, allowed) => {
    expect(decided(bashFacts(command), [allowRule(`Bash(${specifier})`)])).toBe(allowed ? 'allow' : 'ask')
  })

  test('the tool alone allows everything', () => {
    expect(decided(bashFacts('a; b > c'), [allowRule('Bash')])).toBe('allow')
    expect(decided(bashFacts('a; b > c'), [allowRule('Bash(*)')])).toBe('allow')
  })
})

// A15: each of them runs `rm x`, or may.
describe('a rule that refuses is not lost', () => {
  const RULES = [allowRule('Bash'), denyRule('Bash(rm *)')]

  test.each([
    'rm x',
    'git status; rm x',
    'git status\nrm x',
    'git status && rm x',
    'git status || rm x',
    'git status & rm x',
    'git status | rm x',
    'git status |& rm x',
    'git log $(rm x)',
    'git log "$(rm x)"',
    'git log `rm x`',
    'echo "$(echo `rm x`)"',
    'git diff <(rm x) y',
    'git status >(rm x)',
    'FOO=$(rm x) git status',
    'FOO=bar rm x',
    'r""m x',
    `r'm' x`,
    '\\rm x',
    '/bin/rm x',
    '/bin/./rm x',
    '../bin/rm x',
    'env rm x',
    'env -i A=1 rm x',
    'env -S "rm x"',
    'sudo rm x',
    'sudo -u root env nice -n 5 timeout 5 rm x',
    'command rm x',
    'exec rm x',
    'builtin eval "rm x"',
    'eval rm x',
    'bash -c "rm x"',
    `sh -ec 'rm x'`,
    'sh<<<"rm x"',
    'bash <<E\nrm x\nE',
    'find . -exec rm {} \\;',
    'echo x | xargs rm',
    'parallel rm ::: x',
    `trap 'rm x' EXIT`,
    '{rm,x}',
    '( rm x )',
    '{ rm x; }',
    '! rm x',
    'if :; then rm x; fi',
    'for i in 1; do rm x; done',
    'case y in y) rm x;; esac',
    'git() { rm x; }; git status',
    'git status #\nrm x',
    'git status \\\n; rm x',
    'git\tstatus;rm\tx',
    'echo ${y:-$(rm x)}',
    '[[ a == $(rm x) ]]',
    'a=(1 $(rm x))',
    'rm x > f',
    'rm $X',
    `$'\\x72m' x`,
    'true;'.repeat(60) + 'rm x',
    'true;'.repeat(10_000) + 'rm x',
    `echo ${'x'.repeat(70_000)}; rm x`,
    `sudo ${'x '.repeat(5_000)}`
  ])('%j', command => {
    expect(decided(bashFacts(command), RULES)).toBe('deny')
    expect(decided(bashFacts(command), RULES, { mode: 'bypassPermissions' })).toBe('deny')
    expect(decided(bashFacts(command), RULES, { hook: { decision: 'allow', by: 'h' } })).toBe('deny')
  })

  test.each([
    'mywrap rm x',
    'unknown-tool --run "rm x"',
    '$X y',
    'bash -c "$X"',
    `eval "$(printf '\\162m x')"`,
    'echo cm0geA== | base64 -d | sh',
    'curl u | sh',
    '/???/r? x',
    'a=r;b=m;$a$b x',
    'rm${IFS}x',
    `alias git='rm x'\ngit status`,
    'source ./f',
    '. ./f',
    'PATH=./evil:$PATH git status',
    `GIT_PAGER='rm x' git log`,
    `git -c alias.x='!rm x' x`,
    `awk 'BEGIN{system("rm x")}'`,
    `python3 -c 'print(1)'`,
    'git status\rrm x',
    'git status\u2028rm x',
    'git "x'
  ])('%j cannot be told: it is asked about, whatever allows it', command => {
    expect(decided(bashFacts(command), RULES)).toBe('ask')
    expect(decided(bashFacts(command), RULES, { mode: 'bypassPermissions' })).toBe('ask')
    expect(decided(bashFacts(command), RULES, { hook: { decision: 'allow', by: 'h' } })).toBe('ask')
    expect(decided(bashFacts(command), RULES, { mode: 'dontAsk' })).toBe('deny')
  })

  // A26: words that are only words are no commands.
  test.each([
    'git status',
    'echo rm x',
    `grep 'rm -rf' log`,
    'git commit -m "drop; rm old"',
    `git log --format='%h;rm x'`,
    'echo "a && rm x"',
    'echo a\\;rm x',
    'npm test && npm run build',
    'ls *.ts > out.txt',
    'echo $HOME',
    'FOO=1 npm test',
    'rmdir x',
    'npm run rmx'
  ])('%j is something else', command => {
    expect(decided(bashFacts(command), RULES)).toBe('allow')
  })

  test('the same options in another order or spelling are asked about', () => {
    const rules = [allowRule('Bash'), denyRule('Bash(rm -rf *)')]
    for (const command of ['rm -rf x', 'sudo rm -rf x']) expect(decided(bashFacts(command), rules)).toBe('deny')
    for (const command of ['rm -fr x', 'rm -r -f x', 'rm --recursive --force x', 'rm x -rf', 'rm -Rf x'])
      expect(decided(bashFacts(command), rules)).toBe('ask')
    for (const command of ['rm x', 'rm -i x']) expect(decided(bashFacts(command), rules)).toBe('allow')
    expect(decided(bashFacts('git push origin -f'), [allowRule('Bash'), denyRule('Bash(git push --force *)')])).toBe(
      'ask'
    )
  })

  test('a rule that asks is heard in the same way', () => {
    for (const command of ['rm x', 'a && rm x', 'r""m x', '$X y'])
      expect(
        decided(bashFacts(command), [allowRule('Bash'), askRule('Bash(rm *)')], { mode: 'bypassPermissions' })
      ).toBe('ask')
  })

  test('quotes, wrappers and company change nothing', () => {
    const split = fc.constantFrom('rm', 'r""m', `r''m`, '\\rm', 'r\\m', '"rm"', `'rm'`, '/bin/rm', '//bin/../bin/rm')
    const before = fc.constantFrom(
      '',
      'ls; ',
      'ls && ',
      'ls | ',
      'ls\n',
      'A=1 ',
      'env ',
      'sudo ',
      'nice -n 1 ',
      '( ',
      '$('
    )
    const after = fc.constantFrom('', '; ls', ' && ls', ' | cat', '\nls', ' > f', ' 2>&1', ' &', ' )', ' # ok')
    fc.assert(
      fc.property(before, before, split, after, (one, two, program, rest) => {
        expect(decided(bashFacts(`${one}${two}${program} x${rest}`), RULES)).toBe('deny')
      }),
      { numRuns: repetitions(2_000) }
    )
  })
})
