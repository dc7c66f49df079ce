import { basename, resolve } from 'node:path'
import { errorMessage } from '../errors.ts'
import type { Outcome } from '../hooks/dispatch/outcome.ts'
import { watchFiles, type FileEvent, type Watch } from '../world/files/watch.ts'
import type { HookedSession, SessionHooks } from './session/session-hooks.ts'

type WatchingSession = Pick<HookedSession, 'options' | 'reader'> & { readonly hooks: SessionHooks }

/**
 * Runs FileChanged hooks for files that change on disk: those that their matchers name, in the working folder, and
 * those that hooks have requested (`watchPaths`). Without either, nothing is watched.
 */
export class FileWatch {
  readonly #session: WatchingSession
  #watch: Promise<Watch> | undefined
  #asked: readonly string[] = []

  constructor(session: WatchingSession) {
    this.#session = session
    if (this.#matcherFiles().length > 0) this.#begin()
  }

  /** The paths of the newest answer replace those before. */
  follow({ fields: { watchPaths } }: Outcome): void {
    if (!Array.isArray(watchPaths)) return
    this.#asked = watchPaths.filter(path => typeof path === 'string').map(path => resolve(this.#cwd, path))
    this.#begin()
    void this.#watch?.then(watch => watch.further(this.#asked))
  }

  get #cwd(): string {
    return this.#session.options.place.cwd
  }

  #matcherFiles(): readonly string[] {
    return this.#session.options.hooks
      .list('FileChanged')
      .flatMap(({ matcher }) => textsIn(matcher).flatMap(text => text.split('|')))
      .map(name => name.trim())
      .filter(name => name !== '' && name !== '*')
      .map(name => resolve(this.#cwd, name))
  }

  #begin(): void {
    const session = this.#session
    const run = async (path: string, event: FileEvent): Promise<void> => {
      try {
        await session.hooks.run('FileChanged', { file_path: path, file_name: basename(path), event })
      } catch (error) {
        session.reader.notice(`FileChanged hooks failed: ${errorMessage(error)}`, 'warning')
      }
    }
    this.#watch ??= watchFiles(this.#matcherFiles(), (path, event) => void run(path, event))
  }

  async close(): Promise<void> {
    await (await this.#watch)?.close()
  }
}

/** The texts of a matcher, as a description shows it: in quotes; regular expressions and "everything" have none. */
const textsIn = (matcher: string): readonly string[] =>
  matcher.startsWith('/') ? [] : (matcher.match(/"(?:[^"\\]|\\.)*"/g) ?? []).map(text => String(JSON.parse(text)))
