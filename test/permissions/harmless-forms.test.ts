/** Options that make a program run another one, or write: a rule that allows must name them. */
import { describe, expect, test } from 'vitest'
import { allowRule, bashFacts, decided, denyRule } from './permission-kit.ts'

// A15
describe('a rule that allows a program does not allow what turns it to something else', () => {
  test.each([
    ['git grep *', 'git grep --open=./h foo'],
    ['git grep *', 'git grep -nO./h foo'],
    ['git fetch *', `git fetch --upload-pa='touch p;' .`],
    ['git fetch *', `git fetch --upload-pack 'touch p;' .`],
    ['git push *', `git push --rec='touch p;' .`],
    ['git log *', 'git log --outp=p'],
    ['git rebase *', `git rebase -x 'touch p' HEAD~1`],
    ['git rebase *', `git rebase -ix 'touch p' HEAD~1`],
    ['git rebase *', `git rebase --ex='touch p' HEAD~1`],
    ['git clone *', `git clone -u 'touch p;' . y`],
    ['git clone *', `git clone -qu 'touch p;' . y`],
    ['git clone *', 'git clone --config core.fsmonitor=x . y'],
    ['git clone *', 'git clone --conf=core.fsmonitor=x . y'],
    ['git clone *', 'git clone -ccore.fsmonitor=x . y'],
    ['git clone *', 'git clone --templ=x . y'],
    ['git submodule *', 'git submodule foreach touch p'],
    ['git bisect *', 'git bisect run touch p'],
    ['git difftool *', 'git difftool -yx touch'],
    ['git difftool *', 'git difftool --extc=touch'],
    ['git filter-branch *', `git filter-branch --tree-filter 'touch p'`],
    ['git *', `git --no-pager rebase -x 'touch p' HEAD~1`],
    ['sort *', 'sort --out=p f'],
    ['sort *', 'sort --compress-prog=./h f'],
    ['sort *', 'sort -uo p f'],
    ['tar *', `tar cIf 'touch p' a f`],
    ['tar *', `tar cfF a ./h f`],
    ['tar *', `tar -F ./h -cf a f`],
    ['tar *', `tar --to-comm='touch p' -xf a.tar`],
    ['tar *', `tar --use-comp ./h -cf a f`],
    ['tar *', `tar -cf a f --checkpoint=1 --checkpoint-act=exec='touch p'`],
    ['tar -I zstd *', `tar -I zstd -xf a --to-command='touch p'`],
    ['sed *', `sed '1e touch p' f`],
    ['sed *', `sed -es/a/b/e f`],
    ['sed *', `sed 's,a,touch p,ge' f`],
    ['fd *', 'fd -x touch p'],
    ['rsync *', `rsync -ae 'touch p' a b:`],
    ['split *', `split --filt='touch p' f`]
  ])('Bash(%s) and %s', (specifier, command) => {
    expect(decided(bashFacts(command), [allowRule(`Bash(${specifier})`)])).toBe('ask')
    const isWrite = command.startsWith('sort -') && !command.includes('--')
    expect(decided(bashFacts(command), [allowRule('Bash'), denyRule('Bash(rm *)')])).toBe(isWrite ? 'allow' : 'ask')
    // The rule contains the whole command.
    expect(decided(bashFacts(command), [allowRule(`Bash(${command})`)])).toBe('allow')
  })

  test.each([
    ['git *', `git commit -m "$(cat <<'EOF'\nfix: don't\n\nbody (x)\nEOF\n)"`],
    ['npm *', 'time npm test'],
    ['npm *', 'DEBUG=app:* npm test'],
    ['grep *', 'grep -rn x . --include=*.ts'],
    ['curl *', `curl -s -o /dev/null -w '%{http_code}' http://localhost:3000`],
    ['curl *', 'curl -so/dev/null --output=/dev/null http://localhost:3000'],
    ['go *', 'CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build ./...'],
    ['uv *', 'uv lock && uv venv'],
    ['poetry *', 'poetry lock']
  ])('Bash(%s) covers %j', (specifier, command) => {
    expect(decided(bashFacts(command), [allowRule(`Bash(${specifier})`)])).toBe('allow')
  })

  test.each([
    ['git *', `git log "$(cat <<'EOF'\n--output=p\nEOF\n)"`],
    ['git *', 'time git log --output=p'],
    ['npm *', 'time -p sh npm test'],
    ['sort *', 'sort --output=* f'],
    ['curl *', 'curl -o /dev/null -o p http://localhost:3000'],
    ['curl *', 'curl -o /dev/null/../p http://localhost:3000'],
    ['curl *', 'curl -K /dev/null http://localhost:3000'],
    ['find *', 'find . -fprintf p /dev/null'],
    ['find *', 'find . -fprintf /dev/null -type -delete'],
    ['find *', 'find . -fprintf /dev/null x'],
    ['find *', 'find . -fprintf /dev/null p -fprint p'],
    ['go *', 'GOFLAGS=-toolexec=./p go build ./...'],
    ['go *', 'CGO_CFLAGS=-x GOOS=linux go build ./...'],
    ['uv *', 'uv venv ../p'],
    ['uv *', 'uv lock --directory ../p'],
    ['sort *', 'sort --outp*=p f'],
    ['grep *', 'grep -rn x . --include=$(touch p)*'],
    ['npm *', 'DEBUG=$(touch p) npm test'],
    ['npm *', 'DEBUG=`touch p`* npm test']
  ])('Bash(%s) does not cover %j', (specifier, command) => {
    expect(decided(bashFacts(command), [allowRule(`Bash(${specifier})`)])).toBe('ask')
  })

  test.each([
    ['git rebase -x make *', 'git rebase -x make HEAD~1'],
    ['sort --output=p *', 'sort --output=p f'],
    ['sort -o p *', 'sort -o p f'],
    ['tar -I zstd *', 'tar -I zstd -xf a -C out']
  ])('Bash(%s) writes it out: %s', (specifier, command) => {
    expect(decided(bashFacts(command), [allowRule(`Bash(${specifier})`)])).toBe('allow')
  })

  test.each([
    ['git rebase -x *', 'git rebase -x make HEAD~1'],
    ['git bisect run *', 'git bisect run npm test'],
    ['git submodule foreach *', `git submodule foreach 'touch p'`],
    ['sort --output=* *', 'sort --output=p f'],
    ['sort -o*', 'sort -op f'],
    ['tar -I *', 'tar -I zstd -xf a -C out'],
    ['find . -exec *', 'find . -exec touch {} +'],
    ['find . -exec *', 'find . -exec ls {} +']
  ])('Bash(%s) leaves open what is run or written: %s', (specifier, command) => {
    expect(decided(bashFacts(command), [allowRule(`Bash(${specifier})`)])).toBe('ask')
  })
})

describe('a second name for a file, and files that are only named in another file', () => {
  const rules = ['cp *', 'ln *', 'mv *', 'cat *', 'git *', 'sed *', 'curl *', 'tsc *', 'node *'].map(each =>
    allowRule(`Bash(${each})`)
  )
  test.each([
    'ln .git/config x',
    'ln -s .git/hooks h && cp f h/pre-commit',
    'cp -l .git/config x',
    'cp -s f x',
    'git apply x.patch',
    'git log --pretty=format:%G?',
    `git for-each-ref --format='%(signature)'`,
    "sed 'a x\\\\\n1e touch p' f",
    `curl -w '%output{p}' https://x`,
    'tsc -p /outside',
    'cp f .g*/hooks/pre-commit',
    'mv f .git/h*ks/x',
    'ln src/a.ts',
    'node --env-file=/outside f'
  ])('%j', command => expect(decided(bashFacts(command), rules)).toBe('ask'))

  test('a link to a folder with a denied one in it', () => {
    const denied = denyRule('Read(./secrets/**)')
    expect(decided(bashFacts('ln -s . s && cat s/secrets/k'), [...rules, denied])).toBe('ask')
    expect(decided(bashFacts('ln -s secrets s && cat s/k'), [...rules, denied])).toBe('deny')
    expect(decided(bashFacts('ln -s src lib && pwd'), [...rules, denied])).toBe('allow')
  })
})

// A26
test.each([
  'git push origin main',
  'git push -u origin main',
  'git add -u',
  'git stash -u',
  'git clean -fdx',
  'git clone --recursive https://example.com/a.git',
  'git clone --depth 1 -b main https://example.com/a',
  'git log --oneline --graph',
  'git diff --exit-code --stat',
  'git branch --contains x',
  'git grep -n foo',
  'git rebase main',
  'git bisect start',
  'tar czf a.tgz dir',
  'tar xvf File.tar -C out',
  'tar --checkpoint=100 -cf a b',
  'tar -xzf a.tgz -C Images',
  'sort -k2 -n f',
  'sort --reverse f',
  `sed s/a/e/g f`,
  'sed -n -e 1p f.ts',
  'rsync -av --delete a b',
  'tree -L 2'
])('%s is ordinary', command => {
  const [program, second] = command.split(' ')
  expect(decided(bashFacts(command), [allowRule(`Bash(${program} *)`)])).toBe('allow')
  expect(decided(bashFacts(command), [allowRule(`Bash(${program} ${second} *)`)])).toBe('allow')
})
