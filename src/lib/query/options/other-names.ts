import { dirname, join, resolve } from 'node:path'
import { isWithin, realPath, repositoryTop } from '../../world/files/paths.ts'
import { readText } from '../../settings/files/text.ts'

const DECIDING = [
  ...['settings.json', 'settings.local.json', 'hooks', 'plugins', 'agents', 'commands', 'skills'].map(
    name => `.claude/${name}`
  ),
  '.mcp.json',
  '.husky'
]

/**
 * Where protected files of a project and its user are by other names, which do not tell of it: behind a link (`.claude` may
 * lead to `conf`), and where the settings of git name the folder of its hooks or more settings.
 */
export function otherNames(root: string, home: string): readonly string[] {
  const linked = [root, home].flatMap(base =>
    DECIDING.map(name => join(base, name)).flatMap(path => {
      const real = realPath(path)
      return real === path ? [] : [real]
    })
  )
  // Where all of the project would be protected, nothing could be done in it.
  return [...linked, ...namedByGit(root, home)].filter(path => !isWithin(root, path))
}

/** What the settings of a repository name: `core.hooksPath`, from its top; `include.path`, from the file that says so. */
function namedByGit(root: string, home: string): readonly string[] {
  const top = repositoryTop(root)
  if (top === undefined) return []
  const file = join(top, '.git/config')
  const read = readText(file)
  // In a worktree or a submodule `.git` is a file, and what it leads to is protected as a repository.
  if (!('text' in read)) return []
  let section = ''
  return read.text.split('\n').flatMap(line => {
    const [, header, rest = ''] = /^\s*(?:\[([^\]]*)\])?(.*)$/.exec(line) ?? []
    section = (header ?? section).toLowerCase()
    const [, key = '', value = ''] = /^\s*(\w+)\s*=\s*"?(.*?)"?\s*$/.exec(rest) ?? []
    const name = `${section.replace(/[\s.].*/s, '')}.${key.toLowerCase()}`
    const from = name === 'core.hookspath' ? top : /^include(?:if)?\.path$/.test(name) ? dirname(file) : undefined
    return from === undefined || value === '' ? [] : [realPath(resolve(from, value.replace(/^~(?=\/)/, home)))]
  })
}
