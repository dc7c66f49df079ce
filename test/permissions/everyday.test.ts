/** Commands of every day, which must not be asked about: rules about files and protected paths do not mean them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isThere, resolvePath } from '../../src/lib/world/files/paths.ts'
import { allowRule, bashFacts, decided, denyRule, HOME } from './permission-kit.ts'

const RULES = [
  allowRule('Bash'),
  denyRule('Read(./secrets/**)'),
  denyRule('Read(.env)'),
  denyRule('Read(~/.ssh/**)'),
  denyRule('Edit(dist/**)')
]

let root: string
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-')))
  for (const file of [
    '.git/HEAD',
    'src/a.ts',
    'src/index.ts',
    'secrets/k',
    'package.json',
    'README.md',
    'config/app.json'
  ]) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), 'x')
  }
  symlinkSync('src', join(root, 'lib'))
})
afterAll(() => rmSync(root, { recursive: true }))

test.each([
  'ls',
  'ls -la',
  'ls -la src',
  'pwd',
  'cat package.json',
  'cat src/a.ts src/index.ts',
  'cat lib/a.ts',
  'cat src/../README.md',
  'cat ./src/./a.ts',
  'cat /proc/cpuinfo',
  'cat /proc/meminfo',
  'cat /proc/self/status',
  'cat /proc/1/cgroup',
  'cat /proc/mounts',
  'cat /etc/os-release',
  'echo hi > /dev/null',
  'echo hi >&2',
  'echo hi > /dev/stderr',
  'echo hi | tee /dev/stderr',
  'echo hi | cat /dev/stdin',
  'make 2>&1 | tail -n 20',
  'head -n 20 src/a.ts',
  'tail -f log.txt',
  'wc -l src/a.ts',
  'grep -rn TODO src',
  'grep -rn "from \'./a\'" src',
  'rg -n "a secret" src',
  'find . -name "*.ts"',
  'find src -type f',
  'mkdir -p build/out',
  'mkdir -p ~/.config/app',
  'touch src/new.ts',
  'cp src/a.ts src/b.ts',
  'mv src/a.ts src/b.ts',
  'rm -rf node_modules',
  'chmod +x scripts/run.sh',
  'ln -s ../src lib2',
  'cd src && ls',
  'cd src && cat ../README.md',
  'cd .. && ls',
  'git status',
  'git diff',
  'git diff HEAD~1 -- src',
  "git diff -- . ':!package-lock.json'",
  "git diff -- . ':(exclude)*.snap'",
  'git log --oneline -n 10',
  'git log -p -- src/a.ts',
  'git log --format="%h %s" origin/main..HEAD',
  'git show HEAD',
  'git show HEAD:src/a.ts',
  'git show :src/a.ts',
  'git add .',
  'git add -A && git commit -m "Fix it"',
  'git commit -m "Read .git/config and .env only once"',
  'git checkout -b topic',
  'git checkout HEAD -- src/a.ts',
  'git switch main',
  'git rev-parse HEAD',
  'git rev-parse --show-toplevel',
  'git stash',
  'git stash pop',
  'git merge --no-ff topic',
  'git rebase main',
  'git fetch origin',
  'git pull --rebase',
  'git push origin HEAD:main',
  'git push -u origin HEAD',
  'git remote get-url origin',
  "git remote get-url origin | sed 's/\\.git$//'",
  'git clone https://github.com/a/b.git',
  'git -C src log --oneline',
  'git cherry-pick abc123',
  'git tag v1.0.0',
  'git branch -D topic',
  'git worktree list',
  'rm -f .git/index.lock',
  'npm ci',
  'npm test',
  'npm run build -- --watch',
  'npm install left-pad@1.0.0',
  'npm i @scope/secrets',
  'npx tsc --noEmit',
  'npx vitest run test/a.test.ts',
  'pnpm install',
  'yarn build',
  'node src/index.ts',
  'node -e "console.log(1 + 1)"',
  'node -p "require(\'./package.json\').version"',
  'node -e "console.log(process.env.HOME.split(\'/\'))"',
  'node --test test/',
  'node -e \'console.log("a/b".replace(/\\.git$/, ""))\'',
  'python3 -c "import sys; print(sys.version)"',
  'python3 -c \'import json; print(json.load(open("package.json"))["name"])\'',
  'python3 -m pytest tests/',
  'python3 -m venv .venv',
  'pip install -r requirements.txt',
  "perl -pi -e 's/foo/bar/g' src/a.ts",
  "perl -ne 'print if /\\.git/' README.md",
  "ruby -e 'puts 1'",
  "awk '{print $1}' README.md",
  "awk -F/ '/\\.git/ {print $NF}' README.md",
  'awk \'BEGIN { print "x" }\'',
  "sed -n '1,20p' src/a.ts",
  "sed -i 's/foo/bar/' src/a.ts",
  "sed 's/\\.env$//' README.md",
  "sed -e 's#http://#https://#' README.md",
  'cargo build --release',
  'go test ./...',
  'make -C src all',
  'make -j4',
  'docker build -t app:latest .',
  'docker run -p 8080:80 -v "$PWD":/app app',
  'docker compose up -d',
  'curl -s https://example.com/api | jq .name',
  'curl -fsSL http://localhost:3000/health',
  'tar czf out.tgz src',
  'tar -C src -cf - a.ts',
  'unzip -l a.zip',
  'du -sh node_modules',
  'df -h',
  'ps aux | grep node',
  'readlink -f src/a.ts',
  'readlink /proc/1234/exe',
  'ls -l /proc/1234/fd',
  'which node',
  'env | sort',
  'date +%s',
  'sleep 1',
  'kill 1234',
  'sort src/a.ts | uniq -c',
  'diff src/a.ts src/b.ts',
  'xargs -n1 echo < README.md',
  'cat <<EOF > notes.txt\nhello\nEOF',
  'for f in src/*.ts; do echo "$f"; done',
  '[ -f package.json ] && echo yes',
  'test -d src || mkdir src',
  'export NODE_ENV=test && npm test',
  'NODE_ENV=test npm test',
  'time npm run build',
  'timeout 60 npm test',
  'scp build.tgz host:/srv/app/',
  'rsync -a src/ backup/',
  'jq -r .version package.json',
  'gh pr create --title "Fix" --body "See docs"',
  'ssh host uptime',
  'rg --pretty foo src',
  'rg -tzig foo src',
  'rg -efuzz src'
])('%s', command => {
  const call = { ...bashFacts(command), cwd: root, real: resolvePath, has: isThere }
  expect(decided(call, RULES, { roots: [root], home: HOME })).toBe('allow')
})

/** Padding that no parser reads must not make rules about files less careful. */
test.each([
  ['braces', `: '${'{'.repeat(1001)}'`],
  ['here-documents', `: ${"'<<' ".repeat(201)}`],
  ['length', `: '${'x'.repeat(70_000)}'`]
])('a path behind more %s than can be read is asked about', (_, padding) => {
  const call = { ...bashFacts(`cat $\{PWD}/secrets/k; ${padding}`), cwd: root, real: resolvePath, has: isThere }
  expect(decided(call, RULES, { roots: [root], home: HOME })).not.toBe('allow')
})

const inProject = (command: string): string =>
  decided({ ...bashFacts(command), cwd: root, real: resolvePath, has: isThere }, [], { roots: [root] })

test.each([
  'cd src && cat a.ts',
  'cd src; ls -la',
  'cd src && cat a.ts | head',
  'cd src && ls && cd ..',
  'cd src && cat ../README.md'
])('only reads in the project, also after cd: %s', command => {
  expect(inProject(command)).toBe('allow')
})

// Each of them reads what is beside the project: cd failed, was not waited for, or ran in another shell.
test.each([
  'cd src | cat ../outside',
  'cd missing; cat ../outside',
  'cd missing || cat ../outside',
  'cd src & cat ../outside',
  'echo x | cd src; cat ../outside',
  'cd -P src | cat ../outside',
  'timeout 1 cd src; cat ../outside',
  'timeout 1 cd src && cat ../outside',
  '! cd missing && cat ../outside',
  'cd src && cat ../outside & cat ../outside',
  "bash -c 'cd src' && cat ../outside",
  `${Array.from({ length: 20 }, (_, index) => `cd d${index}`).join('; ')}; cat ../outside`
])('a folder that is perhaps not the working folder does not make a path inside: %s', command => {
  expect(inProject(command)).toBe('ask')
})

// Each of them can read the file that a rule refuses.
test.each([
  'cd src; cat a.ts',
  'cd missing; cat src/a.ts',
  'cd missing || cat src/a.ts',
  'cd missing; head -1 < src/a.ts',
  'cd docs & cat src/a.ts',
  'cd docs | cat src/a.ts',
  'timeout 1 cd docs && cat src/a.ts',
  'nice cd docs && cat src/a.ts',
  'cd missing || cd src; cat a.ts'
])('a folder that is perhaps not the working folder hides no path from a rule: %s', command => {
  const call = { ...bashFacts(command), cwd: root, real: resolvePath, has: isThere }
  expect(decided(call, [denyRule('Read(src/a.ts)')], { roots: [root], home: HOME })).toBe('deny')
})

// Only plain paths count as known.
test.each([
  'cd -P src && cat a.ts',
  'cd -P -L -L src && cat a.ts',
  'cd -L -- src && cat a.ts',
  'command cd -P src && cat a.ts',
  'cd docs && cd -P ../src && cat a.ts',
  'cd lib && cat a.ts'
])('where cd leads with options or through a link is not known: %s', command => {
  const call = { ...bashFacts(command), cwd: root, real: resolvePath, has: isThere }
  const rules = [denyRule('Read(src/a.ts)')]
  expect(decided(call, [allowRule('Bash'), ...rules], { roots: [root], home: HOME })).toBe('ask')
  expect(inProject(command)).toBe('ask')
})

test('a chain of && is in its folder alone', () => {
  const call = { ...bashFacts('cd docs && cat src/a.ts'), cwd: root, real: resolvePath, has: isThere }
  expect(decided(call, [denyRule('Read(src/a.ts)')], { roots: [root], home: HOME })).toBe('allow')
})
