import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { isObject, type PlainObject } from '../../util/plain.ts'
import type { Reply } from '../reply.ts'
import { makeFolders } from '../../world/files/own-file.ts'
import { HookFailure } from '../dispatch/hook-failure.ts'

/** Keys of texts that people or the model see; both spellings of a key are read. */
const TEXTS =
  /^(?:reason|message|stop_?reason|system_?message|additional_?context|permission_?decision_?reason|initial_?user_?message)$/i

/** In characters. Of longer texts only the start is shown; the whole text is in a file. */
const LONGEST = 10_000
const PREVIEW = 2_000

/** Sanitizes a reply from outside: its texts cannot move a cursor, and its rewrites contain only usable text. */
export function cleanReply<T extends Reply | undefined | null | void>(reply: T): T {
  return isObject(reply) ? (cleanPart(reply) as T) : reply
}

function cleanPart(part: PlainObject): PlainObject {
  const out: PlainObject = {}
  for (const [key, value] of Object.entries(part)) {
    if (typeof value === 'string' && TEXTS.test(key)) out[key] = truncateText(stripControls(value))
    else if ((key === 'hookSpecificOutput' || key === 'hook_specific_output' || key === 'decision') && isObject(value))
      out[key] = cleanPart(value)
    else {
      if (key === 'updatedInput' || key === 'updated_input') checkRewrite(value)
      out[key] = value
    }
  }
  return out
}

const stripControls = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, char =>
    char === '\n' || char === '\t' ? char : ''
  )

function truncateText(text: string): string {
  if (text.length <= LONGEST) return text
  const folder = join(tmpdir(), `carabiner-${userInfo().uid}`)
  const file = join(folder, `${randomUUID()}.txt`)
  const rest = `… (${text.length} characters`
  try {
    makeFolders(folder)
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
    return `${text.slice(0, PREVIEW)}${rest}; all of it is in ${file})`
  } catch {
    return `${text.slice(0, PREVIEW)}${rest})`
  }
}

/** No program accepts a NUL or a lone surrogate. */
function checkRewrite(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      throw new HookFailure('rewrite', 'updatedInput holds a NUL or half a character')
  } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(checkRewrite)
}
