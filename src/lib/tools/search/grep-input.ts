import { fields, type InputOf } from '../fields.ts'
import { withoutRecords } from './ripgrep.ts'

const lines = (words: string) => ({ type: 'integer', min: 0, max: 10_000, words }) as const

/** The input of Grep. */
export const GREP = fields({
  pattern: { type: 'string', words: 'The regular expression to look for, in the syntax of ripgrep.' },
  'path?': { type: 'string', words: 'The file or folder to search. Leave it out for the working directory.' },
  'glob?': { type: 'string', words: 'Only files that fit, such as "*.js" or "*.{ts,tsx}".' },
  'output_mode?': {
    type: ['content', 'files_with_matches', 'count'],
    default: 'files_with_matches',
    words: '"content" shows matching lines, "files_with_matches" names of files, "count" how many lines match in each.'
  },
  '-B?': lines('Lines to show before each match (content only).'),
  '-A?': lines('Lines to show after each match (content only).'),
  '-C?': lines('The same as context.'),
  'context?': lines('Lines to show before and after each match (content only).'),
  '-n?': { type: 'boolean', words: 'Show the numbers of lines (content only). Default: true.' },
  '-i?': { type: 'boolean', words: 'Upper and lower case are the same.' },
  '-o?': { type: 'boolean', words: 'Show only what matched, not the line around it (content only).' },
  'type?': { type: 'string', words: 'Only files of this type, such as js, py, rust, go, java.' },
  'head_limit?': {
    type: 'integer',
    min: 0,
    words: 'Show so many lines or files. Default: 250; 0 is as many as can be shown.'
  },
  'offset?': { type: 'integer', min: 0, words: 'Leave out so many lines or files first. Default: 0.' },
  'multiline?': { type: 'boolean', words: 'Matches may go over several lines, and "." fits the end of a line.' }
})

/** A search that was checked. */
export type GrepInput = InputOf<typeof GREP>

/** What all modes ask of ripgrep. */
export function commonArgs(input: GrepInput): readonly string[] {
  const globs = globsIn(input.glob ?? '')
  return [
    ...(input['-i'] === true ? ['--ignore-case'] : []),
    ...(input.multiline === true ? ['--multiline', '--multiline-dotall'] : []),
    ...(input.type === undefined ? [] : [`--type=${input.type}`]),
    ...globs.map(glob => `--glob=${glob}`),
    ...withoutRecords(globs.join('/')),
    `--regexp=${input.pattern}`
  ]
}

/** Several may stand there, with spaces or commas between them; those in braces belong together. */
const globsIn = (text: string): readonly string[] =>
  text
    .split(/\s+/)
    .flatMap(part => (part.includes('{') ? [part] : part.split(',')))
    .filter(Boolean)
