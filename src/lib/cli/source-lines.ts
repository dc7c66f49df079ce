import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'

/** Its declared type leaves this out. */
interface Site extends NodeJS.CallSite {
  toString(): string
}

/**
 * Makes stacks name lines of src/ instead of lines of the bundle in this folder (a URL). Maps are read for the first
 * stack that needs them; Node's own option reads each map with its module, which takes a third of a start.
 */
export function nameSourceLines(folder: string): void {
  if (process.sourceMapsEnabled) return
  const maps = new Map<string, SourceMap | undefined>()
  const siteText = (site: Site): string => {
    const text = site.toString()
    const [file, line, column] = [site.getFileName(), site.getLineNumber(), site.getColumnNumber()]
    if (!file?.startsWith(folder) || line === null || column === null) return text
    if (!maps.has(file)) maps.set(file, readMap(`${file}.map`))
    const origin = maps.get(file)?.findOrigin(line, column)
    if (origin === undefined || !('fileName' in origin)) return text
    const source = new URL(origin.fileName, file).href
    return text.replace(`${file}:${line}:${column}`, `${source}:${origin.lineNumber}:${origin.columnNumber}`)
  }
  // Each hook that is added asks for its call site, with an object that is no error: for that no map is read.
  Error.prepareStackTrace = (error, sites) => {
    const textOf = error instanceof Error ? siteText : (site: Site): string => site.toString()
    return [titleOf(error), ...sites.map(site => `    at ${textOf(site)}`)].join('\n')
  }
}

function readMap(url: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(url), 'utf8')) as SourceMapPayload)
  } catch {
    // Then the lines of the bundle have to do.
    return undefined
  }
}

function titleOf(error: NodeJS.ErrnoException): string {
  try {
    const { name, message, code } = error
    // As Node titles its own errors.
    if (typeof code === 'string' && code.startsWith('ERR_')) return `${name} [${code}]: ${message}`
    return Error.prototype.toString.call(error)
  } catch {
    return '<error>'
  }
}
