import { EVENT_NAMES } from '../hooks/events/event-table.ts'
import type { CommandRow } from './commands.ts'
import { printLine } from './print.ts'
import { fault } from '../faults.ts'
import { EXIT } from './common.ts'

type Words = ReadonlyMap<string, readonly string[]>

function wordsByCommand(commands: readonly CommandRow[]): Words {
  const words = new Map<string, readonly string[]>()
  const tops = [...new Set(commands.flatMap(({ name }) => name.split(' ', 1)))]
  words.set('', [...tops, '--help', '--version'])
  for (const group of tops) {
    const within = commands.filter(({ name }) => name.startsWith(`${group} `))
    words.set(
      group,
      within.map(({ name }) => name.slice(group.length + 1))
    )
  }
  for (const { name, flags, argument } of commands) {
    const choices = name === 'fire' ? EVENT_NAMES : (argument?.choices ?? [])
    words.set(name, [...choices, ...flags.flatMap(flag => flag.flags.split(' ', 1)), '--help'])
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

const bashCases = (byCommand: Words): string =>
  [...byCommand]
    .toSorted(([a], [b]) => b.length - a.length)
    .map(
      ([command, words]) =>
        `    "${command}"${command === '' ? '' : '*'}) COMPREPLY=($(compgen -W "${words.join(' ')}" -- "\${COMP_WORDS[COMP_CWORD]}")) ;;`
    )
    .join('\n')

const fishLines = (byCommand: Words): string =>
  [...byCommand]
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

export function completion(shell: string, commands: readonly CommandRow[]): number {
  const words = wordsByCommand(commands)
  if (shell === 'bash') printLine(BASH(bashCases(words)))
  else if (shell === 'zsh') printLine(`autoload -U +X bashcompinit && bashcompinit\n${BASH(bashCases(words))}`)
  else if (shell === 'fish') printLine(fishLines(words))
  else throw fault('E_USAGE', `there are completions for bash, zsh and fish, not for ${JSON.stringify(shell)}`)
  return EXIT.done
}
