/** What a model is made to do in one run, and what that promises. */
import type { ScriptedCall, ScriptedTurn } from '../../../src/testing.ts'

/** A call, and what may be seen of it in the project. */
export interface Promised {
  readonly id: string
  /** It appends this, once, to `effects`. */
  readonly token?: string
  /** It continues by itself: that it has started does not mean that its token is written. */
  readonly isBehind?: boolean
  /** It changes this file from `old` to `new`; nothing means that the file does not exist. */
  readonly file?: { readonly name: string; readonly old: string | undefined; readonly new: string }
}

export interface Act {
  readonly turns: readonly (string | ScriptedTurn)[]
  readonly promises: readonly Promised[]
}

/** How many lines a file has that is changed: enough for half of it to be seen. */
const LINES = 300

/** Makes an act. `name` sets its calls and files apart from those of all others. */
export function actOf(name: string, random: () => number): Act {
  const promises: Promised[] = []
  const bash = (what: string, command: (append: string) => string, more: object = {}): ScriptedCall => {
    const id = `${name}_${what}`
    const token = `token-${id}.`
    promises.push({ id, token, ...('run_in_background' in more && { isBehind: true }) })
    return { id, name: 'Bash', input: { command: command(`echo ${token} >> effects`), ...more } }
  }
  const change = (tool: string, file: string, old: string | undefined, made: string, input: object): ScriptedCall => {
    const id = `${name}_${tool}`
    promises.push({ id, file: { name: file, old, new: made } })
    return { id, name: tool, input: { file_path: file, ...input } }
  }
  const read = (what: string, file: string): ScriptedCall => ({
    id: `${name}_${what}`,
    name: 'Read',
    input: { file_path: file }
  })
  const [edited, written] = [`edited-${name}`, `written-${name}`]
  const SCENES: readonly (() => readonly (string | ScriptedTurn)[])[] = [
    () => [{ text: 'One.', calls: [bash('plain', append => append)] }],
    () => [
      {
        calls: [
          read('first', 'notes'),
          bash('early', append => append),
          bash('waits', append => `sleep 0.05 & ${append}; wait`),
          read('last', 'notes')
        ]
      }
    ],
    () => [
      { thinking: 'Look first.', text: 'I look.', calls: [read('look', edited), read('also', 'notes')] },
      {
        calls: [
          change('Edit', edited, fileOf('old'), fileOf('new'), {
            old_string: 'old',
            new_string: 'new',
            replace_all: true
          }),
          change('Write', written, undefined, fileOf('new'), { content: fileOf('new') })
        ]
      }
    ],
    () => [
      {
        calls: [
          {
            id: `${name}_agent`,
            name: 'Agent',
            input: { description: 'a task', prompt: 'Do it.', subagent_type: 'general-purpose' }
          }
        ]
      },
      { text: 'It is me.', calls: [bash('inner', append => `sleep 0.02; ${append}`), read('seen', 'notes')] },
      'The task is done.'
    ],
    () => [
      { calls: [bash('behind', append => `${append}; sleep 0.5`, { run_in_background: true })] },
      { calls: [bash('apart', append => `setsid sleep 0.1 & ${append}; sleep 0.05`)] }
    ]
  ]
  const chosen = shuffled(SCENES, random).slice(0, random() < 0.5 ? 2 : 3)
  // The model is notified again of what ends in the background.
  return { turns: [...chosen.flatMap(scene => scene()), 'Done.', 'Noted.', 'Noted.'], promises }
}

/** What a file holds before and after: one word in each line, so that half of each would be seen. */
const fileOf = (word: string): string => `${word}\n`.repeat(LINES)

/** The last act: a little work, so that a folder in which files were left unfinished is put in order. */
export const lastAct = (name: string): Act => {
  const id = `${name}_Write`
  const file = { name: `last-${name}`, old: undefined, new: 'here\n' }
  const call = { id, name: 'Write', input: { file_path: file.name, content: file.new } }
  return { turns: [{ text: 'At last.', calls: [call] }, 'Done.'], promises: [{ id, file }] }
}

function shuffled<T>(list: readonly T[], random: () => number): readonly T[] {
  const left = [...list]
  return list.map(() => left.splice(Math.floor(random() * left.length), 1)[0]!)
}
