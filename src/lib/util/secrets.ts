import { HIDDEN, heldBack, maskCredentials } from './credentials.ts'

/**
 * Secrets of others, by their form. They are masked with the credentials of this process in what is shown, stored or
 * returned by tools. Hook payloads keep them: a hook that looks for secrets must see the input that will run.
 */
interface Form {
  /** Every secret of this form starts with one of these texts. */
  readonly heads: readonly string[]
  /** What follows and stays visible. */
  readonly shown?: string
  readonly body: string
  /** A character of the rest. What ends a run of them also ends the secret. */
  readonly inside: string
  /** No ordinary text continues like this, also where letters precede it. */
  readonly isDistinct?: true
}

const WORD = String.raw`[\w-]`
const ALNUM = String.raw`[A-Za-z\d]`

/**
 * Twelve families: AWS (two forms), GitHub, GitLab, Slack, Stripe, Google, Anthropic, OpenAI (two forms), npm, private
 * keys, JSON web tokens, passwords in URLs. Repetitions are bounded, or cannot meet another head: time is linear.
 */
const FORMS: readonly Form[] = [
  {
    heads: ['AKIA', 'ASIA'],
    body: String.raw`[A-Z2-7]{16}(?![\w+/=])`,
    inside: String.raw`[\w+/=]`,
    isDistinct: true
  },
  {
    heads: ['aws_secret_access_key', 'AWS_SECRET_ACCESS_KEY', 'SecretAccessKey', 'secretAccessKey'],
    shown: String.raw`[\\"']{0,4} {0,4}[=:] {0,4}[\\"']{0,4}`,
    body: String.raw`[A-Za-z\d+/]{40}(?![\w+/=])`,
    inside: String.raw`[\w\\"' =:+/]`,
    isDistinct: true
  },
  {
    heads: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    body: String.raw`\w{36,}`,
    inside: String.raw`\w`
  },
  { heads: ['glpat-'], body: `${WORD}{20,}`, inside: WORD },
  { heads: ['xoxa-', 'xoxb-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'], body: `${WORD}{20,}`, inside: WORD },
  { heads: ['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_'], body: `${ALNUM}{20,}`, inside: ALNUM },
  { heads: ['AIza'], body: String.raw`[\w-]{35}(?![\w+/=-])`, inside: String.raw`[\w+/=-]` },
  { heads: ['sk-ant-'], body: `${WORD}{20,}`, inside: WORD },
  { heads: ['sk-proj-', 'sk-svcacct-', 'sk-admin-'], body: `${WORD}{40,}`, inside: WORD },
  { heads: ['sk-'], body: `${ALNUM}{48}(?!${WORD})`, inside: WORD },
  { heads: ['npm_'], body: String.raw`[A-Za-z\d]{36}(?!\w)`, inside: String.raw`\w` },
  {
    heads: ['-----BEGIN '],
    body: String.raw`[A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:(?:[\w+/=:,.\s]|-(?!----)|\\+[nrt]){40,9999}-----END [A-Z ]{0,40}-----|(?:(?:\s|\\+[nrt]){1,4}[A-Za-z\d+/=]{40,99}){1,200})`,
    inside: String.raw`(?!-----END [A-Z ]{0,40}-----)[\w+/=:,.\s\\-]`
  },
  {
    heads: ['eyJ'],
    body: String.raw`[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{16,}`,
    inside: String.raw`[\w.-]`,
    isDistinct: true
  },
  {
    heads: ['://'],
    shown: String.raw`[\w.%+-]{0,64}:`,
    body: String.raw`(?=[A-Za-z.~%!*+=^&_-]{0,63}\d)[\w.~%!*+=^&-]{8,64}(?=@)`,
    inside: String.raw`(?!://)[\w.~%!*+=^&:-]`
  }
]

/** Letters before a head may belong to an escape: of JSON, of a terminal or of a URL. */
const BORDER = String.raw`(?<=^|[^\w-]|\\[nrtbf]|\\u[\da-f]{4}|\[[\d;]{0,12}m|%[\dA-F]{2})`
/** Where a head is in the middle of something that is no secret, such as base64. */
const DEEP = String.raw`[\w-]{33}`

/**
 * A head may continue a word, if what follows it has digits and letters of both cases: then it is no "task-" with more
 * words.
 */
function startOf({ heads, inside, isDistinct }: Form): string {
  const head = `(?:${heads.join('|')})`
  if (!/^\w/.test(heads.join(''))) return head
  const mixed = [String.raw`\d`, '[a-z]', '[A-Z]'].map(one => `(?=${head}(?:${inside}){0,99}${one})`).join('')
  return `(?=${head})(?:${BORDER}|(?<!${DEEP})${isDistinct === true ? '' : mixed})${head}`
}

const HEADS = FORMS.flatMap(form => form.heads)
/** Most texts contain none of these. */
const HEAD = new RegExp(HEADS.join('|'))
const SECRET = new RegExp(
  FORMS.map(form => (form.shown === undefined ? startOf(form) : `(${startOf(form)}${form.shown})`) + form.body).join(
    '|'
  ),
  'g'
)
/** Of each form: a head, and everything that may belong to it. */
const BEGUN = FORMS.map(form => new RegExp(`(?:${form.heads.join('|')})(?:${form.inside})*`, 'g'))

let isShown = false
let masking = 0

/**
 * Begins a session, and returns a function that ends it. Once a session shows secrets of others, they are masked only
 * while a session that masks them is open: both use the same outputs.
 */
export function beginMasking(shows: boolean): () => void {
  if (shows) isShown = true
  else masking++
  let isOver = shows
  return () => {
    if (!isOver) masking--
    isOver = true
  }
}

/** What a pattern finds in a text that begins at `from`. What is before counts only as context. */
function matchesIn(text: string, pattern: RegExp, from: number): IterableIterator<RegExpExecArray> {
  pattern.lastIndex = from
  return text.matchAll(pattern)
}

/** Masks what begins at `from` and ends before `end`. */
function maskForms(text: string, from = 0, end = text.length): string {
  if (!HEAD.test(text) || (isShown && masking === 0)) return text
  let masked = ''
  let done = 0
  for (const { 0: found, 1: name = '', 2: user = '', index } of matchesIn(text, SECRET, from)) {
    if (index + found.length > end) break
    masked += text.slice(done, index) + name + user + HIDDEN
    done = index + found.length
  }
  return masked + text.slice(done)
}

/** In characters: of a password in a URL with what is around it. Credentials of this process are at least 8. */
const SHORTEST = 13

/** Whether there is something to look at more closely. */
export const mayHoldSecret = (text: string): boolean =>
  text.length >= 8 && ((text.length >= SHORTEST && HEAD.test(text)) || maskCredentials(text) !== text)

export const maskSecrets = (text: string): string => maskForms(maskCredentials(text))

/** In characters. A secret that is longer, and arrives in chunks, may be masked only in part. */
const LONGEST = 8192
/** At least what `startOf` looks at before a head. */
const CONTEXT = 40

/** The same for text in chunks: an end that may belong to a secret is held back until more arrives. */
export class SecretFilter {
  #before = ''
  #rest = ''

  add(piece: string): string {
    const text = this.#before + maskCredentials(this.#rest + piece)
    const end = begunAt(text.slice(0, text.length - heldBack(text)), this.#before.length)
    this.#rest = text.slice(end)
    return this.#put(text.slice(this.#before.length, end))
  }

  end(): string {
    const rest = this.#rest
    this.#rest = ''
    return this.#put(rest)
  }

  #put(text: string): string {
    const before = this.#before
    // What follows decides whether a secret has ended.
    const masked = maskForms(before + text + this.#rest, before.length, before.length + text.length)
    this.#before = (before + text).slice(-CONTEXT)
    return masked.slice(before.length, masked.length - this.#rest.length)
  }
}

/** Where the end of a text begins that may belong to a secret: at `from`, or after it. */
function begunAt(text: string, from: number): number {
  const start = Math.max(from, text.length - LONGEST)
  let end = Math.max(start, text.length - heldBack(text, HEADS))
  if (!HEAD.test(text)) return end
  for (const begun of BEGUN)
    for (const { 0: found, index } of matchesIn(text, begun, start))
      if (index + found.length === text.length) end = Math.min(end, index)
  // The end of a secret may look like the start of another one.
  for (const { 0: found, index } of matchesIn(text, SECRET, start))
    if (index < end && index + found.length > end) end = index
  return end
}
