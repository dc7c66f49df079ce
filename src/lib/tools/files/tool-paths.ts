import { resolve } from 'node:path'
import type { Subject } from '../../message.ts'
import type { PlainObject } from '../../util/plain.ts'
import { linkAt } from '../../world/files/file-finder.ts'
import { shownPath, type JudgedFile } from '../../world/files/files.ts'
import { realPath, resolvePath } from '../../world/files/paths.ts'
import type { Checked, ToolSession } from '../tool.ts'

const LONGEST_PATH = 4095
const LONGEST_NAME = 255

const isWindows = process.platform === 'win32'

export function absolutePath(
  path: string,
  session: ToolSession
): { readonly path: string } | { readonly problem: string } {
  const why = wrongWith(path)
  if (why !== undefined) return { problem: `the path ${quoted(path)} ${why}` }
  const written = resolve(session.cwd, path)
  if (!MEANS_MORE.test(path)) return checkLength(written)
  const way = resolvePath(path, session.cwd)
  if (!way.sure)
    return { problem: `only another process knows where ${quoted(path)} leads; use another path for the file` }
  return checkLength(realPath(written, session.cwd) === way.path && !isOfProcess(written) ? written : way.path)
}

/** Paths with `..`, or of a process: what they mean depends on links and on the process. */
const MEANS_MORE = /(?:^|\/)\.\.(?:\/|$)|^\/+(?:proc|dev)\//
const isOfProcess = (path: string): boolean => /^\/(?:proc|dev)\//.test(path)

export function withFilePath(input: { readonly file_path: string }, session: ToolSession): Checked {
  const path = input.file_path
  if (/[/\\]\.{0,2}$/.test(isWindows ? path : path.replaceAll('\\', '_')) || path === '.' || path === '..') {
    return { problem: `the path ${quoted(path)} names a folder; name a file` }
  }
  const found = absolutePath(path, session)
  return 'problem' in found ? found : { input: { ...input, file_path: found.path } }
}

function wrongWith(path: string): string | undefined {
  if (path === '') return 'is empty; name a file or a folder'
  if (path.includes('\0')) return 'holds a NUL byte'
  if (!path.isWellFormed()) return 'holds half of a character (a lone surrogate)'
  if (path.startsWith('~'))
    return 'begins with "~", which only a shell expands; write the folder out, or begin with "./"'
  if (/^\$\w|^\$\{/.test(path)) return 'begins with a variable, which only a shell expands; write its value'
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) return 'is a URL; name a file by its path'
  if (isWindows ? /:/.test(path.slice(2)) : /^[a-z]:\\|^\\\\/i.test(path)) {
    return isWindows ? 'names a stream of a file; name a file' : 'is a Windows path, and this is not Windows'
  }
  return undefined
}

function checkLength(path: string): { readonly path: string } | { readonly problem: string } {
  const bytes = Buffer.byteLength(path)
  if (bytes > LONGEST_PATH) return { problem: `the path has ${bytes} bytes; the system takes ${LONGEST_PATH}` }
  const long = path.split('/').find(name => Buffer.byteLength(name) > LONGEST_NAME)
  if (long === undefined) return { path }
  return {
    problem: `the path has a name of ${Buffer.byteLength(long)} bytes (${quoted(long)}); the system takes ${LONGEST_NAME}`
  }
}

const quoted = (path: string): string =>
  `"${shownPath(path.length > 60 ? `${path.slice(0, 60).toWellFormed()}…` : path)}"`

const judged = new WeakMap<PlainObject, JudgedFile>()

/**
 * The file or folder in this input. It is looked up once: what was judged is what is opened, even if links change
 * meanwhile. So permissions must be asked about the same object that runs.
 */
export function judgedFile(input: PlainObject, { cwd }: ToolSession, path = String(input['file_path'])): JudgedFile {
  let file = judged.get(input)
  if (file === undefined) {
    const real = realPath(path, cwd)
    judged.set(input, (file = { path: real, link: linkAt(real) }))
  }
  return file
}

export const fileSubject = (
  input: PlainObject,
  access: 'read' | 'write',
  session: ToolSession,
  path?: string
): Subject => ({ kind: 'file', ...judgedFile(input, session, path), access })
