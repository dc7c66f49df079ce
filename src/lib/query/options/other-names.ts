import { dirname, join, resolve } from 'node:path'
import { isThere, isWithin, realPath, repositoryTop } from '../../world/files/paths.ts'
import { readText } from '../../settings/files/text.ts'

const DECIDING: Readonly<Record<string, readonly string[]>> = {
  '.claude': ['settings.json', 'settings.local.json', 'hooks', 'plugins', 'agents', 'commands', 'skills'],
  '.mcp.json': [''],
  '.husky': ['']
}

/**
 * Other paths of protected files of a project and its user: behind a link (`.claude` may lead to `conf`), and where
 * git's configuration names the folder of its hooks or further configuration files.
 */
export function otherNames(root: string, home: string): readonly string[] {
  // Both are real paths: what is not there has no other name.
  const there = [...new Set([root, home])].flatMap(base =>
    Object.entries(DECIDING).flatMap(([name, parts]) =>
      isThere(join(base, name)) ? parts.map(part => join(base, name, part)) : []
    )
  )
  const linked = there.map(path => realPath(path)).filter((real, index) => real !== there[index])
  // If the whole project were protected, nothing could be done in it.
  return [...linked, ...namedByGit(root, home)].filter(path => !isWithin(root, path))
}

/** Paths in the configuration of a repository: `core.hooksPath`, from its top; `include.path`, from its file. */
function namedByGit(root: string, home: string): readonly string[] {
  const top = repositoryTop(root)
  if (top === undefined) return []
  const file = join(top, '.git/config')
  const read = readText(file)
  // In a worktree or a submodule `.git` is a file, and its target is protected as a repository.
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
