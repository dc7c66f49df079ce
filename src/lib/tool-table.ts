/**
 * The tools of this package, one row per tool, as plain data for every layer: their names, their inputs (types, checks
 * and the schemas for the model come from the same fields) and what rules must know about them.
 */

import type { FieldTable, InferGiven } from './schema/table.ts'

interface ToolRow {
  /** Keys and their types; `'name?'` is optional. */
  readonly input: FieldTable
  /** No call changes anything that belongs to the user. Bash decides this for each command. */
  readonly readOnly: boolean
  readonly files?: FileAccess
}

type FileAccess = 'read' | 'search' | 'write'

/** In milliseconds. */
export const BASH_TIMEOUT = {
  foreground: { standard: 120_000, most: 600_000 },
  background: { standard: 1_800_000, most: 7_200_000 }
}
const { foreground, background } = BASH_TIMEOUT

export const READ_LINES = 2000

export const TASK_STATUS = ['pending', 'in_progress', 'completed'] as const

const TODO = { content: 'string', status: TASK_STATUS, 'activeForm?': 'string' } as const

const QUESTION = {
  question: 'string',
  'header?': 'string',
  options: { list: { object: { label: 'string', 'description?': 'string' }, open: true } },
  'multiSelect?': 'boolean'
} as const

const FILE_PATH = { type: 'string', words: 'The absolute path of the file' } as const
const TASK_ID = { type: 'string', words: 'The id that TaskCreate returned' } as const
const lines = (words: string) => ({ type: 'integer', min: 0, max: 10_000, words }) as const

export const TOOL_TABLE = {
  Read: {
    readOnly: true,
    files: 'read',
    input: {
      file_path: FILE_PATH,
      'offset?': { type: 'integer', min: 0, words: 'The line to begin with; the first line is 1' },
      'limit?': { type: 'integer', min: 1, words: `How many lines to read; default: ${READ_LINES}` },
      'allow_large?': {
        type: 'boolean',
        words: 'Shows more of a large file at once than usual. Prefer offset and limit, or a search'
      }
    }
  },
  Write: {
    readOnly: false,
    files: 'write',
    input: { file_path: FILE_PATH, content: { type: 'string', words: 'The whole content of the file' } }
  },
  Edit: {
    readOnly: false,
    files: 'write',
    input: {
      file_path: FILE_PATH,
      old_string: { type: 'string', words: 'The text to replace, exactly as it is in the file' },
      new_string: { type: 'string', words: 'The text to put in its place; must differ. Empty to delete' },
      'replace_all?': { type: 'boolean', default: false, words: 'Replace every occurrence of old_string' }
    }
  },
  Bash: {
    readOnly: false,
    input: {
      command: { type: 'string', words: 'The command to run.' },
      'timeout?': {
        type: 'number',
        min: 1,
        words: `Milliseconds after which it is ended. Default: ${foreground.standard}, at most ${foreground.most}; in the background ${background.standard}, at most ${background.most}.`
      },
      'description?': { type: 'string', words: 'What it does, in five to ten words, for the person who watches.' },
      'run_in_background?': {
        type: 'boolean',
        words: 'Return at once. TaskOutput then shows its output, and TaskStop ends it.'
      }
    }
  },
  Glob: {
    readOnly: true,
    files: 'search',
    input: {
      pattern: { type: 'string', words: 'The pattern that paths must fit, such as "**/*.ts" or "src/*.{js,ts}".' },
      'path?': { type: 'string', words: 'The folder to search in. Leave it out for the working directory.' }
    }
  },
  Grep: {
    readOnly: true,
    files: 'search',
    input: {
      pattern: { type: 'string', words: 'The regular expression to look for, in the syntax of ripgrep.' },
      'path?': { type: 'string', words: 'The file or folder to search. Leave it out for the working directory.' },
      'glob?': { type: 'string', words: 'Only files that fit, such as "*.js" or "*.{ts,tsx}".' },
      'output_mode?': {
        type: ['content', 'files_with_matches', 'count'],
        default: 'files_with_matches',
        words:
          '"content" shows matching lines, "files_with_matches" names of files, "count" how many lines match in each.'
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
        words: 'The maximum number of lines or files to show. Default: 250; 0: as many as can be shown.'
      },
      'offset?': { type: 'integer', min: 0, words: 'The number of lines or files to leave out first. Default: 0.' },
      'multiline?': { type: 'boolean', words: 'Matches may span several lines, and "." fits the end of a line.' }
    }
  },
  TaskOutput: {
    readOnly: true,
    input: {
      task_id: { type: 'string', words: 'The id that Bash returned.' },
      'block?': { type: 'boolean', default: true, words: 'Wait until it has ended, or until the timeout.' },
      'timeout?': { type: 'number', default: 30_000, min: 0, max: 600_000, words: 'Milliseconds to wait at most.' }
    }
  },
  // It ends only what the agent itself started.
  TaskStop: {
    readOnly: true,
    input: {
      'task_id?': { type: 'string', words: 'The id that Bash returned.' },
      'shell_id?': { type: 'string', words: 'An older name for task_id.' }
    }
  },
  ExitPlanMode: {
    readOnly: true,
    input: { plan: { type: 'string', words: 'What you are going to do, step by step, for the user to agree to.' } }
  },
  // Calls of the subagent pass the gate themselves.
  Agent: {
    readOnly: true,
    input: {
      description: { type: 'string', words: 'The task in three to five words' },
      prompt: {
        type: 'string',
        words: 'The task, with everything the agent must know: it cannot see this conversation'
      },
      'subagent_type?': { type: 'string', default: 'general-purpose', words: 'Which agent' },
      'model?': { type: 'string', words: 'A different model' },
      'resume?': {
        type: 'string',
        words: 'The agentId of an agent that has worked before: it continues with the prompt'
      },
      'resume_agent_id?': { type: 'string', words: 'Another name for resume' },
      'name?': { type: 'string', words: 'With run_in_background: it stays under this name, for SendMessage' },
      'run_in_background?': {
        type: 'boolean',
        default: false,
        words: 'Return at once; TaskOutput then shows its result'
      }
    }
  },
  SendMessage: {
    readOnly: true,
    input: {
      to: { type: 'string', words: 'The name of the teammate' },
      message: { type: 'string', words: 'The message' }
    }
  },
  TaskCreate: {
    readOnly: true,
    input: {
      subject: { type: 'string', words: 'What is to be done, in a few words' },
      'description?': { type: 'string', default: '', words: 'Everything needed to do it' },
      'activeForm?': { type: 'string', words: 'What is shown while it is in progress, such as "Running tests"' }
    }
  },
  TaskGet: { readOnly: true, input: { taskId: TASK_ID } },
  TaskUpdate: {
    readOnly: true,
    input: {
      taskId: TASK_ID,
      'status?': { type: [...TASK_STATUS, 'deleted'], words: 'Its new state' },
      'subject?': { type: 'string', words: 'A new subject' },
      'description?': { type: 'string', words: 'A new description' },
      'activeForm?': { type: 'string', words: 'A new text to show while it is in progress' }
    }
  },
  TaskList: { readOnly: true, input: {} },
  TodoWrite: { readOnly: true, input: { todos: { list: { object: TODO, open: true } } } },
  Skill: {
    readOnly: true,
    input: {
      skill: { type: 'string', words: 'The name of the skill' },
      'args?': { type: 'string', default: '', words: 'Arguments for the skill' }
    }
  },
  AskUserQuestion: {
    readOnly: true,
    input: {
      questions: { type: { list: { object: QUESTION, open: true } }, min: 1, max: 4 },
      // They come with the permission to ask.
      'answers?': { type: { record: 'unknown' }, hidden: true }
    }
  },
  // It sends a request, whose effect at the other end is unknown.
  WebFetch: {
    readOnly: false,
    input: {
      url: { type: 'string', words: 'The address, with https:// or http://' },
      prompt: { type: 'string', words: 'What you want to know from the page' }
    }
  }
} as const satisfies Readonly<Record<string, ToolRow>>

type Rows = typeof TOOL_TABLE

export type BuiltInToolName = keyof Rows

export type BuiltInToolInputs = { [Name in BuiltInToolName]: InferGiven<Rows[Name]['input']> }

export const TOOL_NAMES = Object.keys(TOOL_TABLE) as readonly BuiltInToolName[] as readonly string[]

export const isReadOnly = (name: string): boolean =>
  Object.hasOwn(TOOL_TABLE, name) && TOOL_TABLE[name as BuiltInToolName].readOnly

/** From other versions of Claude Code: settings may have rules for them. */
export const OTHER_FILE_TOOLS: Readonly<Record<string, FileAccess>> = {
  LS: 'search',
  NotebookRead: 'read',
  MultiEdit: 'write',
  NotebookEdit: 'write'
}

const toolsThat = (...access: readonly FileAccess[]): ReadonlySet<string> => {
  const own = Object.entries<ToolRow>(TOOL_TABLE).map(([name, { files }]) => [name, files] as const)
  const all = [...own, ...Object.entries(OTHER_FILE_TOOLS)]
  return new Set(all.flatMap(([name, files]) => (files !== undefined && access.includes(files) ? [name] : [])))
}

/** The rule `Read(…)` applies to all of them. */
export const FILE_READERS = toolsThat('read', 'search')
/** They use one file, which `file_path` names. */
export const FILE_USERS = toolsThat('read', 'write')
export const FILE_SEARCHERS = toolsThat('search')
/** The rule `Edit(…)` applies to all of them. */
export const FILE_WRITERS = toolsThat('write')
