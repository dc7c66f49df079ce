/** Commands that run what is not to be seen in them, and those that only look as if they did. */
import { describe, expect, test } from 'vitest'
import { MODES } from '../../src/lib/permissions/modes.ts'
import { leadTo } from '../../src/lib/permissions/match-command.ts'
import { allowRule, askRule, bashFacts, decided, denyRule } from './permission-kit.ts'

const RULES = [allowRule('Bash'), denyRule('Bash(rm *)')]

// A15: each of them runs `rm -f x`, or may.
describe('what cannot be told is asked about, whatever allows it', () => {
  test.each([
    // A program that runs what it reads, in every way to start it.
    `echo 'rm -f x' | env bash`,
    `echo 'rm -f x' | nohup sh`,
    `echo 'rm -f x' | sudo bash`,
    `echo 'rm -f x' | timeout 5 env -i sh`,
    `echo 'rm -f x' | mywrap bash`,
    `echo 'rm -f x' | bash -s foo`,
    `echo 'rm -f x' | bash -o pipefail`,
    `echo 'rm -f x' | bash - foo`,
    `echo 'rm -f x' | bash /dev/stdin`,
    `echo 'rm -f x' | bash /proc/self/fd/0`,
    `echo 'rm -f x' | sh -c sh`,
    `echo 'rm -f x' | sudo -s`,
    `echo 'rm -f x' | su`,
    `echo 'rm -f x' | at now`,
    `echo 'rm -f x' | parallel`,
    'echo x | python3',
    'echo x | python3.11 -',
    'echo x | sudo perl',
    'echo x | node --input-type=module',
    'bash -O extglob < f',
    'python3 < f',
    'exec < f; bash g',
    // Code in a language of its own, behind another program.
    `env python3 -c 'print(1)'`,
    `docker run image python3 -c 'print(1)'`,
    `awk 'BEGIN{system("r" "m -f x")}'`,
    `awk 'BEGIN{print "r" "m -f x" | "sh"}'`,
    `awk '/"/ {print "r" "m -f x" | "s" "h"}' f`,
    `awk -v c=sh '{print | c}' f`,
    `awk '{"r" "m x" | getline}' f`,
    `awk -v c=sh '{print /;/ | c}' f`,
    `awk 'BEGIN{print "r" "m x" \\\n| "sh"}'`,
    `echo x | awk -f -`,
    `sed 's/.*/r\\m x/e' f`,
    `sed '1e r\\m x' f`,
    // Words that are glued to an option, or come from elsewhere.
    `env '-Srm -f x'`,
    'env -Srm -f x',
    `env --split-string='r\\m -f x'`,
    `su '-cr""m x'`,
    'echo rm -f x | xargs env',
    'echo rm -f x | xargs sudo',
    'echo rm -f x | sudo xargs env',
    'echo rm | xargs -I{} {} -f x',
    'echo rm | xargs -n 1 -I % % -f x',
    // Options in short.
    `git fetch --upload-pa='rm -f x;' .`,
    `git rebase -x 'r""m -f x' HEAD~1`,
    // Variables that decide what is run.
    'export PATH=.; foo',
    'export PATH="$PWD/bin:$PATH"; foo',
    'declare -x PATH=.; foo',
    'read -r PATH < f; foo',
    'env PATH=. foo'
  ])('%s', command => {
    expect(decided(bashFacts(command), RULES)).toBe('ask')
    expect(decided(bashFacts(command), RULES, { mode: 'bypassPermissions' })).toBe('ask')
    expect(decided(bashFacts(command), RULES, { mode: 'dontAsk' })).toBe('deny')
  })

  test.each([`eval "r''m" -f x`, `eval 'r\\m' -f x`, `command eval "r''m" -f x`, `sh -c "r''m"`, `ssh host 'r""m'`])(
    '%s is read as the shell reads it',
    command => {
      for (const mode of MODES) expect(decided(bashFacts(command), RULES, { mode })).toBe('deny')
    }
  )

  test('eval puts its words together', () => {
    expect(decided(bashFacts(`eval 'r\\m' '-rf' x`), [allowRule('Bash'), denyRule('Bash(rm -rf *)')])).toBe('deny')
  })
})

// A26
describe('no one is asked about ordinary commands', () => {
  test.each([
    'git log --oneline | head',
    'git --no-pager log -5',
    'npm test',
    'npm test -v',
    'go test -v ./...',
    'ls | wc -l',
    'cat a | grep b | sort',
    'cat f | tr a b | sort | uniq -c | sort -rn',
    'tar czf a.tgz dir',
    'tar --checkpoint=100 -cf a b',
    `find . -name '*.ts'`,
    'find . -type f | xargs grep -l foo',
    'ls | xargs git add',
    'ls | xargs -I{} cp {} dir',
    `ps aux | awk '{print $2}'`,
    `awk -F'|' '{print $2}' f`,
    `awk '/a|b/ {print}' f`,
    `awk '{print $1 "|" $2}' f`,
    `sed 's/foo/bar/g' f`,
    `sed -e s/a/e/ -e 's/ me / you /' f`,
    'bash script.sh',
    'cat f | bash script.sh a',
    'cat f | python3 script.py',
    'cat f | python3 -m json.tool',
    `cat f | sh -c 'wc -l'`,
    'sudo apt-get install -y python3',
    'which python3 | head -1',
    'cat f | sudo grep -i x',
    'timeout 60 npm test',
    'env FOO=1 npm test',
    'NODE_ENV=test npm test',
    'export NODE_ENV=production && npm run build',
    'export FOO=$BAR; npm test',
    'wc -l < f',
    'git add $FILES',
    'ps aux | grep python3'
  ])('%s', command => {
    for (const text of ['Bash(rm *)', 'Bash(git push *)', 'Bash(npm publish *)', 'Bash(kubectl -n prod delete *)'])
      expect(decided(bashFacts(command), [allowRule('Bash'), denyRule(text)])).toBe('allow')
  })
})

describe('options between the words of a rule', () => {
  test.each([
    ['git tag *', 'git --no-pager tag y'],
    ['git tag *', 'git -P tag y'],
    ['git push *', 'sudo git --no-pager push x'],
    ['kubectl delete *', 'kubectl -n prod delete x'],
    ['kubectl delete *', 'kubectl --context a --namespace b delete pod x'],
    ['terraform apply *', 'terraform -chdir=x apply'],
    ['npm publish *', 'npm --silent publish'],
    ['npm publish', 'npm --silent publish'],
    ['docker run *', 'docker --host=x run y'],
    ['docker compose down *', 'docker compose -f x down'],
    ['npm run deploy*', 'npm run --silent deploy:prod'],
    ['git push *', 'git $X'],
    ['git push', 'git push $X']
  ])('Bash(%s) may mean %s', (specifier, command) => {
    const rules = [allowRule(`Bash(${command.split(' ')[0]} *)`), allowRule('Bash')]
    for (const rule of [denyRule(`Bash(${specifier})`), askRule(`Bash(${specifier})`)])
      for (const mode of ['default', 'bypassPermissions'] as const)
        expect(decided(bashFacts(command), [...rules, rule], { mode })).toBe('ask')
  })

  test.each([
    ['git push *', 'git log push'],
    ['git push *', 'git --no-pager log -5'],
    ['git push *', 'git add $X'],
    ['kubectl delete *', 'kubectl get -n delete-me pods'],
    ['npm run deploy *', 'npm run -s build'],
    ['docker compose down *', 'docker compose -p x up'],
    ['git push', 'git push -q'],
    ['npm test', 'npm test -- a'],
    ['ls', 'ls -la']
  ])('Bash(%s) does not mean %s', (specifier, command) => {
    expect(decided(bashFacts(command), [allowRule('Bash'), denyRule(`Bash(${specifier})`)])).toBe('allow')
  })

  test.each([
    [['a', 'b'], ['-n', 'a', 'a', 'b'], true],
    [['a', 'b'], ['a', '-x', 'y', 'b'], true],
    [['a', 'b'], ['a', '-x', 'y', 'z', 'b'], false],
    [['a', '*', 'b'], ['-x', 'a', 'y', 'z', 'b'], true],
    [['a'], ['-x', 'a', 'b'], false],
    [['a', '*'], ['-x', 'a', 'b'], true],
    [['a', '*'], ['a', 'b'], false],
    [['a', '*'], ['b', undefined], false],
    [[], ['-x'], false]
  ])('%j %j: %s', (rule, words, leads) => {
    expect(leadTo(rule, false)(words)).toBe(leads)
  })
})
