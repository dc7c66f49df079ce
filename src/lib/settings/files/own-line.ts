import { shellWord } from '../../shell/command-words.ts'

export interface OwnLine {
  /** Its path: a project may choose where programs are found. */
  readonly bash: string
  readonly client: string
  readonly host: string
  readonly event: string
  /** What cannot be answered is refused. */
  readonly isClosed: boolean
  /** In seconds. */
  readonly deadline: number
  readonly node: string
  /** Variables as they are now: projects can change those that an agent has. */
  readonly env: Readonly<Record<string, string>>
}

const FAILED = 'carabiner could not answer'

/**
 * The command by which another agent asks Carabiner. Most agents ignore an exit code of 2 without text, and some run
 * the command in a shell of the person's choice: all shells read this alike.
 */
export function ownLine({ bash, client, host, event, isClosed, deadline, node, env }: OwnLine): string {
  const told = `echo "${FAILED}: without another reason here, repeat carabiner hooks install --for ${host}" >&2`
  const words = [shellWord(client), host, event, isClosed ? 'closed' : 'open', deadline, shellWord(node)]
  words.push(...Object.entries(env).map(([name, value]) => shellWord(`${name}=${value}`)))
  // -p: without files that variables name.
  return `${shellWord(bash)} -p ${words.join(' ')} || /bin/sh -c '${told}; exit ${isClosed ? 2 : 1}'`
}

/** The same line of any version, at any path. */
export const OWN_LINE = new RegExp(
  String.raw`^\S+ -p .*client\.sh'? \w+ \w+ (?:closed|open) \d+ .* \|\| /bin/sh -c 'echo "${FAILED}`,
  's'
)
