import type * as Unbash from 'unbash'

/** What `$(cat <<'E' …)` becomes: the text of a here-document in which nothing is expanded, without its last newlines. */
export function constantIn({ script, text }: Unbash.CommandExpansionPart): string | undefined {
  const [statement, ...others] = script?.commands ?? []
  const command = statement?.command
  if (others.length > 0 || command?.type !== 'Command' || command.name?.text !== 'cat' || !text.startsWith('$('))
    return undefined
  const [redirect, ...more] = command.redirects
  if (more.length + command.prefix.length + command.args.length > 0 || redirect?.type !== 'HereDoc') return undefined
  const body = redirect.body.text
  // The bash of macOS looks for quotes and parentheses in it.
  const isOdd = process.platform === 'darwin' && /['"`()\\]/.test(body)
  return redirect.delimiter?.quoted === true && redirect.operator === '<<' && !isOdd
    ? body.replace(/\n+$/, '')
    : undefined
}
