/** The script of the starter policy: commands that really destroy work are refused in every wrapping, ordinary ones are not. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { ended } from '../../support/cli-stage.ts'
import { HANG } from '../../support/waiting.ts'

vi.setConfig({ testTimeout: HANG })

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'carabiner-policy-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const env = { PATH: process.env['PATH'] ?? '', HOME: folder, GIT_CONFIG_GLOBAL: join(folder, '.gitconfig') }
writeFileSync(env.GIT_CONFIG_GLOBAL, '[user]\n\tname = x\n\temail = x@y.z\n[init]\n\tdefaultBranch = main\n')
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()

/** A repository with a remote, two commits, a change that is not committed, and a file that git does not know. */
function repository(): string {
  const base = join(folder, 'model')
  const project = join(base, 'project')
  mkdirSync(join(project, 'src'), { recursive: true })
  git(folder, 'init', '-q', '--bare', join(base, 'remote.git'))
  git(project, 'init', '-q')
  git(project, 'remote', 'add', 'origin', join(base, 'remote.git'))
  for (const content of ['one', 'two']) {
    writeFileSync(join(project, 'src/app.js'), `${content}\n`)
    git(project, 'add', '-A')
    git(project, 'commit', '-qm', content)
  }
  git(project, 'push', '-q', '-u', 'origin', 'main', 'main:side')
  mkdirSync(join(project, 'dist'))
  writeFileSync(join(project, 'src/app.js'), 'changed\n')
  writeFileSync(join(project, 'src/new.js'), 'new\n')
  return base
}

/** What may not be lost: files with their content, commits here and on the remote. */
const stateOf = (base: string): readonly unknown[] => [
  ...['src/app.js', 'src/new.js'].map(file => existsSync(join(base, 'project', file))),
  git(join(base, 'project'), 'diff', 'HEAD~1', '--', 'src/app.js').includes('+changed'),
  git(join(base, 'project'), 'rev-parse', 'main'),
  git(join(base, 'remote.git'), 'for-each-ref')
]

const SCRIPT = join(import.meta.dirname, '../../../starter/protect-repository.mjs')

async function isRefused(command: string): Promise<boolean> {
  const { code, stderr } = await ended(
    spawn(process.execPath, [SCRIPT], { env }),
    JSON.stringify({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } })
  )
  expect([0, 2], stderr).toContain(code)
  return code === 2
}

const DESTROY = [
  'rm -rf src',
  'rm -r -f ./src/',
  'rm --recursive "src"',
  String.raw`\rm -fr src`,
  'r""m -R src',
  '/bin/rm -rf -- src',
  'rm -rf $PWD/src',
  'rm -rf s*',
  'rm -rf {src,x}',
  'rm -rf dist src',
  'rm -rf dist/../src',
  'find src -delete',
  'find . -name "*.js" -exec rm {} +',
  'ls | grep src | xargs rm -rf',
  'git reset -q --hard',
  'git reset -q --har HEAD~1',
  'git -C . -c a.b=c checkout -q -f',
  'git checkout -q -- .',
  'git restore .',
  'git restore --staged --worktree :/',
  'git clean -fd',
  'git push -q --force origin HEAD~1:main',
  'git push -q origin +HEAD~1:main',
  'git push -q -f origin HEAD~1:main',
  'git push -q origin :side',
  'git push -q --delete origin side',
  'git update-ref -d refs/heads/main',
  'git -c alias.x="reset --hard" x'
]

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Ways in which a command can be a part of another. */
const WRAPS: readonly ((command: string) => string)[] = [
  command => command,
  command => `true && ${command}`,
  command => `(${command})`,
  command => `{ ${command}; }`,
  command => `if true; then ${command}; fi`,
  command => `for i in 1; do ${command}; done`,
  command => `f() { ${command}; }; f`,
  command => `echo "$(${command})"`,
  command => `cat <(${command})`,
  command => `A=1 ${command}`,
  command => `bash -c ${quoted(command)}`,
  command => `sh -c ${quoted(`bash -c ${quoted(command)}`)}`,
  command => `eval ${quoted(command)}`,
  command => `bash <<< ${quoted(command)}`,
  command => `bash <<'END'\n${command}\nEND`,
  command => `cat <<END\n$(${command})\nEND`,
  command => `echo ${quoted(command)} | bash`,
  command => `trap ${quoted(command)} EXIT`,
  command => `echo 'it is fine' # comment\n${command}`
]

describe('what destroys work', () => {
  test.each(DESTROY)('%s: refused in every wrapping', async command => {
    const passed: string[] = []
    for (const wrap of WRAPS) if (!(await isRefused(wrap(command)))) passed.push(wrap(command))
    expect(passed).toEqual([])
  })

  test('these commands do destroy something: the test can fail', () => {
    const model = repository()
    const harmless = DESTROY.filter(command => {
      const copy = mkdtempSync(join(folder, 'try-'))
      cpSync(model, copy, { recursive: true })
      git(join(copy, 'project'), 'remote', 'set-url', 'origin', join(copy, 'remote.git'))
      const before = stateOf(copy)
      spawnSync('bash', ['-c', command], { cwd: join(copy, 'project'), env })
      const lost = attemptState(copy)
      return JSON.stringify(lost) === JSON.stringify(before)
    })
    expect(harmless).toEqual([])
  })
})

/** After some commands git itself fails: that is a loss. */
function attemptState(base: string): readonly unknown[] {
  try {
    return stateOf(base)
  } catch {
    return []
  }
}

test.each([
  'grep TOKEN .env',
  'grep -e TOKEN .env',
  'grep -rne TOKEN .env',
  'grep --reg=TOKEN .env',
  'grep -f .env src/app.js',
  'grep -A 1 TOKEN .env',
  "rg '' .env",
  'if grep -q TOKEN .env; then echo there; fi',
  'while read -r line; do echo "$line"; done < .env',
  '[[ $(<.env) == x ]]',
  '[ "$(cat .env)" = x ] && echo x',
  'git show HEAD:.env',
  'git status; cat .env'
])('%s: refused, since it reads secrets', async command => {
  expect(await isRefused(command)).toBe(true)
})

test.each([
  'npx rimraf src',
  'ls | xargs npx rimraf',
  '$HOME/bin/rm -rf src',
  '"$(echo a/b)" -rf src',
  'git push --force-with=main origin',
  'git gc --prune=now'
])('%s: refused, since it destroys work', async command => {
  expect(await isRefused(command)).toBe(true)
})

describe('ordinary commands', () => {
  test.each([
    'rm -rf dist node_modules packages/a/dist',
    'rm -rf /tmp/a-folder-of-nobody',
    'rm notes.txt',
    'git rm -r --cached old',
    'docker rm -f x',
    'git commit -m "no rm -rf and no git push --force"',
    "git commit -m \"$(cat <<'EOF'\nDon't rm -rf (#12)\n\nIt's `rm -rf src` that isn't ok\nEOF\n)\"",
    'grep -rn "rm -rf" src',
    'grep -rn "rm -rf" .',
    'ls ./ && cat <<END\nrm -rf src\nEND',
    "grep -rn 'git push --force' docs | head -5",
    'git push -u origin feature',
    'git reset HEAD~1',
    'git restore src/app.js',
    'git restore --staged .',
    'git clean -nfd',
    'cp .env.example .env.test',
    'npm test 2>&1 | tail -20',
    'echo $((1+2)) ${HOME:-x} "$(date)"',
    'find . -name "*.ts" | xargs wc -l',
    'case x in a) echo hi;; esac',
    "cat > notes.md <<'EOF'\nit's fine: rm -rf src\nEOF\necho done",
    'git stash && git stash pop',
    'node -e "console.log(process.env.HOME)"',
    'git branch -d done',
    'git add -A && git commit -m "x" && git push',
    'git commit -m "explain rm -rf src" && bash build.sh',
    '. ./env.sh && npm test',
    'f() { echo hi; }; a=(1 2 3); echo ${a[@]}',
    'npm run build -- --force',
    'grep -rn ".env" src',
    'rg -n .env docs',
    'git check-ignore .env && git status .env',
    'if [ -f .env ]; then echo there; fi',
    '[[ -f .env ]] && echo there',
    'while ! test -f .env; do echo waiting; done',
    'npx rimraf dist coverage',
    'npm install -D rimraf glob',
    'git gc --prune=2.weeks.ago',
    '"$VIRTUAL_ENV/bin/pip" install -r requirements.txt'
  ])('%s: not refused', async command => {
    expect(await isRefused(command)).toBe(false)
  })
})
