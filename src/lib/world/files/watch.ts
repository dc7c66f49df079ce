export type FileEvent = 'add' | 'change' | 'unlink'

export interface Watch {
  further(paths: readonly string[]): void
  close(): Promise<void>
}

interface WatchOptions {
  readonly ignored?: (path: string) => boolean
  readonly onError?: (error: unknown) => void
}

export async function watchFiles(
  paths: readonly string[],
  onEvent: (path: string, event: FileEvent) => void,
  { onError = () => undefined, ...options }: WatchOptions = {}
): Promise<Watch> {
  const { watch } = await import('chokidar')
  const watcher = watch([...paths], {
    ...options,
    ignoreInitial: true,
    awaitWriteFinish: { stabilityThreshold: 50, pollInterval: 10 }
  })
  for (const event of ['add', 'change', 'unlink'] as const) watcher.on(event, path => onEvent(path, event))
  watcher.on('error', onError)
  await new Promise<void>(resolve => void watcher.once('ready', () => resolve()))
  let dynamic: readonly string[] = []
  return {
    further(next) {
      const gone = dynamic.filter(path => !next.includes(path) && !paths.includes(path))
      if (gone.length > 0) watcher.unwatch(gone)
      watcher.add(next.filter(path => !dynamic.includes(path)))
      dynamic = next
    },
    close: () => watcher.close()
  }
}
