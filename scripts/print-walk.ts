/**
 * Prints into ARCHITECTURE.md which functions one call of a tool and one event run through, as coverage counts them.
 * `--check` only says whether the page is up to date; `--at REF` prints the walk of another commit instead.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Walk, Walks } from './measure-walk.ts'
import { withSourceAt } from './source-at.ts'

const BEGIN = '<!-- begin: printed by `node scripts/print-walk.ts` -->'
const END = '<!-- end: printed by `node scripts/print-walk.ts` -->'
const WIDTH = 118

/** The section: how long the walks are, and what is on them. */
export function sectionOf({ call, callWithHook, fire }: Walks): string {
  const leftOut = without(call, callWithHook)
  return [
    BEGIN,
    '',
    `- a \`Read\` call without a hook: ${sizeOf(call)}`,
    `- the same call with a PreToolUse hook that allows it: ${sizeOf(callWithHook)}`,
    `- one \`fire\` of PreToolUse with that hook: ${sizeOf(fire)}`,
    '',
    'Coverage counts the functions of `src/` that have a name and run between the model’s answer and the tool’s result,',
    'at the third call of a session that keeps its transcript in memory.',
    '',
    'The call without a hook:',
    '',
    blockOf(call),
    '',
    'What a hook that allows adds to it:',
    '',
    blockOf(without(callWithHook, call)),
    '',
    ...(Object.keys(leftOut).length === 0 ? [] : ['What it leaves out:', '', blockOf(leftOut), '']),
    'One `fire`:',
    '',
    blockOf(fire),
    '',
    END
  ].join('\n')
}

/** `120 functions in 40 files`. */
export const sizeOf = (walk: Walk): string =>
  `${Object.values(walk).flat().length} functions in ${Object.keys(walk).length} files`

/** The functions of a walk that are not on another one. */
function without(walk: Walk, other: Walk): Walk {
  const rest = Object.entries(walk).map(([file, names]) => [file, namesWithout(names, other[file] ?? [])] as const)
  return Object.fromEntries(rest.filter(([, names]) => names.length > 0))
}

/** Two functions of a file may have the same name. */
function namesWithout(names: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others]
  return names.filter(name => {
    const index = left.indexOf(name)
    if (index !== -1) left.splice(index, 1)
    return index === -1
  })
}

/** A line a file, or more where its functions do not fit on one. */
function blockOf(walk: Walk): string {
  const rows = Object.entries(walk).map(([file, names]) => [file.replace(/^lib\//, ''), names] as const)
  const indent = Math.max(...rows.map(([file]) => file.length)) + 2
  const lines = rows.flatMap(([file, names]) => {
    const wrapped = ['']
    for (const [index, name] of names.entries()) {
      const word = index === names.length - 1 ? name : `${name}, `
      if (indent + wrapped.at(-1)!.length + word.trimEnd().length > WIDTH) wrapped.push('')
      wrapped.push(`${wrapped.pop()}${word}`)
    }
    return wrapped.map((line, index) => `${(index === 0 ? file : '').padEnd(indent)}${line}`.trimEnd())
  })
  return ['```', ...lines, '```'].join('\n')
}

/** The page with its section made anew. */
export function withSection(page: string, section: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (begin === -1 || end < begin) throw new Error(`there is no place for the walk: add ${BEGIN} and ${END}`)
  return page.slice(0, begin) + section + page.slice(end + END.length)
}

/** Measures the sources of a folder, in a process that knows no settings of this machine. */
function measure(root: string): Walks {
  const home = mkdtempSync(join(tmpdir(), 'carabiner-home-'))
  const output = execFileSync(process.execPath, [resolve(import.meta.dirname, 'measure-walk.ts'), root], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: home },
    maxBuffer: 16 * 1024 * 1024
  })
  rmSync(home, { recursive: true })
  return JSON.parse(output) as Walks
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      check: { type: 'boolean' },
      at: { type: 'string' },
      page: { type: 'string', default: 'ARCHITECTURE.md' }
    }
  })
  if (values.at !== undefined) {
    console.log(sectionOf(await withSourceAt(values.at, measure)))
  } else {
    const page = readFileSync(values.page, 'utf8')
    const walks = measure('.')
    const fresh = withSection(page, sectionOf(walks))
    if (values.check !== true) {
      writeFileSync(values.page, fresh)
      console.log(`${values.page}: a call runs ${sizeOf(walks.call)}`)
    } else if (fresh === page) {
      console.log(`${values.page} is fresh`)
    } else {
      console.error(`${values.page} is not what a call runs through: run \`node scripts/print-walk.ts\``)
      process.exitCode = 1
    }
  }
}
