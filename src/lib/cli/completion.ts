import { EVENT_NAMES } from '../hooks/events.ts'
import { COMMANDS } from './commands.ts'
import { say } from './print.ts'
import { fault } from '../errors.ts'
import { EXIT } from './common.ts'

/** The words that may come after each command, `''` for the program itself. */
function wordsByCommand(): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, readonly string[]>()
  const tops = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0]!))]
  words.set('', [...tops, '--help', '--version'])
  words.set(
    'hooks',
    COMMANDS.filter(({ name }) => name.startsWith('hooks ')).map(({ name }) => name.slice('hooks '.length))
  )
  for (const { name, flags, argument } of COMMANDS) {
    const choices = name === 'fire' ? EVENT_NAMES : (argument?.choices ?? [])
    words.set(name, [...choices, ...flags.map(flag => flag.flags.split(' ')[0]!), '--help'])
  }
  return words
}

const BASH = (cases: string): string => `_carabiner() {
  local words="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  case "$words" in
${cases}
  esac
}
complete -o default -F _carabiner carabiner`

const bashCases = (): string =>
  [...wordsByCommand()]
    .toSorted(([a], [b]) => b.length - a.length)
    .map(
      ([command, words]) =>
        `    "${command}"${command === '' ? '' : '*'}) COMPREPLY=($(compgen -W "${words.join(' ')}" -- "\${COMP_WORDS[COMP_CWORD]}")) ;;`
    )
    .join('\n')

const fishLines = (): string =>
  [...wordsByCommand()]
    .map(([command, words]) => {
      const when =
        command === ''
          ? '__fish_use_subcommand'
          : command
              .split(' ')
              .map(word => `__fish_seen_subcommand_from ${word}`)
              .join('; and ')
      return `complete -c carabiner -f -n '${when}' -a '${words.join(' ')}'`
    })
    .join('\n')

/** `carabiner completion SHELL`. */
export function completion(shell: string): number {
  if (shell === 'bash') say(BASH(bashCases()))
  else if (shell === 'zsh') say(`autoload -U +X bashcompinit && bashcompinit\n${BASH(bashCases())}`)
  else if (shell === 'fish') say(fishLines())
  else throw fault('E_USAGE', `there are completions for bash, zsh and fish, not for ${JSON.stringify(shell)}`)
  return EXIT.done
}
