import { existsSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { readableBy } from '../../permissions/decide.ts'
import type { CallFacts, Policy } from '../../permissions/policy.ts'
import { attempt } from '../../util/attempt.ts'

/** What a search of another agent shows although rules refuse to read it: only our own Grep can leave it out. */
export function unreadableIn({ tool, subject, ruled, input }: CallFacts, policy: Policy): string | undefined {
  if (tool !== 'Grep' || subject?.kind !== 'file' || ruled === undefined) return undefined
  const files = ruled.below(subject.path)
  if (files === undefined) return 'more files than rules about files can be checked for'
  const [isReadable, root = subject.path] = [readableBy(policy), ...policy.roots]
  const isIgnored = ignoredIn(root)
  const ignores = Object.keys(input).some(key => /ignore/i.test(key)) ? () => false : isIgnored
  const hidden = files
    .map(({ names }) => `/${names.join('/')}`)
    .find(file => !isReadable(file) && !ignores(file) && isFoundBy(input['glob'], file))
  return hidden && `${hidden}, which rules refuse and .gitignore does not name`
}

/** A pattern of endings leaves out all other files; it is not known what agents make of others. */
const isFoundBy = (glob: unknown, file: string): boolean => {
  const [, ending] = /^(?:\*\*\/)?\*(\.\w+)$/.exec(String(glob)) ?? []
  return ending === undefined || (basename(file).endsWith(ending) && basename(file) !== ending)
}

/** Searches of agents leave out what .gitignore of the project names, unless git has it anyway. */
function ignoredIn(root: string): (file: string) => boolean {
  const lines = (attempt(() => readFileSync(join(root, '.gitignore'), 'utf8')) ?? '')
    .split('\n')
    .map(line => line.trim())
  const patterns = lines.filter(line => line !== '' && !line.startsWith('#'))
  if (patterns.some(line => line.startsWith('!')) || existsSync(join(root, '.ignore'))) return () => false
  const index = attempt(() => readFileSync(join(root, '.git/index'), 'latin1')) ?? ''
  return file => {
    const path = relative(root, file)
    return !index.includes(Buffer.from(path).toString('latin1')) && patterns.some(line => fitsIgnore(line, path))
  }
}

/** Only plain patterns are known: names, and `*` within a name. */
function fitsIgnore(line: string, path: string): boolean {
  const body = line.replace(/^\//, '').replace(/\/$/, '')
  if (/[?[\]\\]|\*\*/.test(body)) return false
  const names = body.replaceAll(/[.+^${}()|]/g, String.raw`\$&`).replaceAll('*', '[^/]*')
  const start = line.startsWith('/') || body.includes('/') ? '^' : '(?:^|/)'
  return new RegExp(`${start}${names}${line.endsWith('/') ? '/' : '(?:/|$)'}`).test(path)
}
