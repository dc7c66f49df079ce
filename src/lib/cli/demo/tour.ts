import type { ScriptedTurn } from '../../model/scripted.ts'

export interface TourStep {
  readonly title: string
  readonly turns: readonly ScriptedTurn[]
  /** Files, and whether they exist afterwards. */
  readonly look?: Readonly<Record<string, boolean>>
}

const call = (name: string, input: object): ScriptedTurn => ({ calls: [{ name, input }] })

const edit = (old_string: string, new_string: string): ScriptedTurn =>
  call('Edit', { file_path: 'total.mjs', old_string, new_string })

/** The tour. The model gives these answers whatever happens; all the rest is real. */
export const TOUR: readonly TourStep[] = [
  {
    title: '1. The agent reads a file and edits it',
    turns: [call('Read', { file_path: 'total.mjs' }), edit('so - price', 'so + price')]
  },
  {
    title: '2. A gate refuses a call, and says which hook refused it',
    turns: [call('Bash', { command: 'rm -rf build' })],
    look: { 'build/report.txt': true }
  },
  {
    title: '3. A hook rewrites a call, and the rewritten call is judged again',
    turns: [call('Bash', { command: 'rm draft.txt' })],
    look: { 'draft.txt': false, '.trash/draft.txt': true }
  },
  {
    title: '4. A hook crashes, and its call does not run: silence is never a yes',
    turns: [call('Write', { file_path: 'NOTES.md', content: 'All is well.\n' })],
    look: { 'NOTES.md': false }
  },
  {
    title: '5. A Stop hook sends the agent back until the tests pass',
    turns: [
      { text: 'The prices are added up now. I am done.' },
      edit('1 + discount', '1 - discount'),
      { text: 'The discount is taken off, too. Now I am done.' }
    ]
  }
]
