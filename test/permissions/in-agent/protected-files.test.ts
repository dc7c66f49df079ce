/** Files that make a later, ordinary command run something are not the agent's to write. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ask, project, resultsIn, type Project } from '../../support/agent-kit.ts'

const FREE = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const

/** Writes each of these files; gives those that were written. */
async function writtenOf(place: Project, files: readonly string[]): Promise<readonly string[]> {
  const turns = files.map(file => ({ calls: [{ name: 'Write', input: { file_path: file, content: 'x' } }] }))
  const { sent } = await ask([...turns, 'done'], { in: place, ...FREE })
  const results = resultsIn(sent.at(-1)!)
  expect(results).toHaveLength(files.length)
  for (const { text, isError } of results) if (isError) expect(text).toContain('protected path')
  return files.filter((_, index) => !results[index]!.isError)
}

const git = (place: Project, ...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: place.cwd, env: { ...place.env, GIT_CONFIG_NOSYSTEM: '1' }, encoding: 'utf8' })

test('B8: what git reads before it does anything is not written, in any mode', async () => {
  const files = [
    '.git/info/attributes',
    '.git/objects/info/alternates',
    '.git/HEAD',
    '.git/config',
    '.git/hooks/post-checkout',
    '.git/modules/lib/config',
    '.git/worktrees/x/gitdir',
    '.git/rebase-merge/git-rebase-todo',
    'vendor/.git/info/attributes',
    'vendor/.git',
    '.gitmodules'
  ]
  const place = project()
  expect(await writtenOf(place, files)).toEqual([])
  for (const file of files) expect(place.has(file)).toBe(false)
})

test('B8: settings of the user for git and other tools are not written', async () => {
  const place = project()
  const files = ['.config/git/config', '.config/git/attributes', '.config/systemd/user/x.service', '.cargo/config.toml']
  expect(await writtenOf(place, [...files.map(file => `${place.home}/${file}`), '.npmrc', 'a/.yarnrc.yml'])).toEqual([])
})

test('B8: a repository by any name is known by what is in it', async () => {
  const place = project()
  git(place, 'init', '-q', '--bare', 'mirror')
  const before = place.text('mirror/config')
  const files = ['config', 'hooks/post-receive', 'HEAD', 'info/attributes', 'objects/info/alternates']
  expect(await writtenOf(place, [...files.map(file => `mirror/${file}`), 'mirror/notes'])).toEqual(['mirror/notes'])
  expect(place.text('mirror/config')).toBe(before)
})

test.each([
  ['HEAD', ['objects/a', 'refs/a', 'config']],
  ['refs/a', ['HEAD', 'objects/a', 'config']],
  ['objects/info/alternates', ['HEAD', 'refs/a', 'hooks/post-checkout']]
])('B8: the file that would make a folder a repository is not written: %s', async (last, files) => {
  const place = project()
  for (const file of files) place.write(`trap/${file}`, 'x')
  expect(await writtenOf(place, [`trap/${last}`])).toEqual([])
})

test('B8: a command that names such a file is asked about', async () => {
  const place = project({ evil: 'x' })
  git(place, 'init', '-q', '--bare', 'mirror')
  const commands = [
    'cp evil mirror/hooks/post-receive',
    'cp evil .git/info/attributes',
    'echo ../x > .git/objects/info/alternates',
    `cp evil ${place.home}/.config/git/config`,
    'cp evil .npmrc'
  ]
  const turns = commands.map(command => ({ calls: [{ name: 'Bash', input: { command } }] }))
  const { result } = await ask([...turns, 'done'], { in: place, allowedTools: ['Bash'] })
  expect(result.permission_denials.map(({ tool_input }) => tool_input['command'])).toEqual(commands)
})

test('B8: a rule of the user that names the place lifts it, and ordinary files of the same names are free', async () => {
  const place = project()
  mkdirSync(place.path('.git'))
  const ordinary = ['config/app.json', 'hooks/use-x.ts', 'HEAD', 'refs/x', '.git/info/exclude', '.git/COMMIT_EDITMSG']
  expect(await writtenOf(place, ordinary)).toEqual(ordinary)
  const call = { name: 'Write', input: { file_path: '.npmrc', content: 'x' } }
  await ask([{ calls: [call] }, 'done'], { in: place, allowedTools: ['Edit(.npmrc)'] })
  expect(place.text('.npmrc')).toBe('x')
})

test('B8: where .claude is a link, or a folder in it, its files are protected under their real names', async () => {
  const place = project()
  for (const folder of ['conf', 'team', 'own/.claude']) mkdirSync(`${place.cwd}/${folder}`, { recursive: true })
  symlinkSync('conf', `${place.cwd}/.claude`)
  symlinkSync('../team', `${place.cwd}/conf/agents`)
  const files = ['conf/settings.json', 'conf/hooks/a.sh', 'conf/skills/a/SKILL.md', 'team/a.md']
  expect(await writtenOf(place, [...files, 'conf/notes.md'])).toEqual(['conf/notes.md'])
})

test('B8: what the settings of the repository have git run or read is protected', async () => {
  const place = project()
  git(place, 'init', '-q')
  git(place, 'config', 'core.hooksPath', '.githooks')
  git(place, 'config', '--add', 'include.path', '../extra.cfg')
  const files = ['.githooks/pre-commit', 'extra.cfg', 'extra.cfg.md']
  expect(await writtenOf(place, files)).toEqual(['extra.cfg.md'])
})

test('B8: a hooksPath that is the whole project does not close the project', async () => {
  const place = project()
  git(place, 'init', '-q')
  git(place, 'config', 'core.hooksPath', '.')
  expect(await writtenOf(place, ['a.txt'])).toEqual(['a.txt'])
})

test.each([
  ['commondir', ['x/HEAD']],
  ['HEAD', ['x/commondir']]
])('B8: a repository whose parts are elsewhere is not completed by %s', async (last, before) => {
  const place = project()
  expect(await writtenOf(place, [...before, `x/${last}`])).toEqual(before)
})

test('B8: settings of editors and package managers are not written', async () => {
  const editors = ['.gvimrc', '.nvim.lua', '.vim/plugin/a.vim', '.emacs.d/init.el', '.config/nvim/init.lua']
  const managers = ['.gemrc', '.bundle/config', '.mvn/extensions.xml', '.yarn/releases/y.cjs', '.config/pip/pip.conf']
  expect(await writtenOf(project(), [...editors, ...managers, '.hg/hgrc', '.pdbrc'])).toEqual([])
})
