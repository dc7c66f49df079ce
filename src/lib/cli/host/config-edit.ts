import { applyEdits, findNodeAtLocation, getNodePath, parseTree, type Edit, type Node } from 'jsonc-parser'
import { parseDocument } from '../../settings/files/document.ts'
import { isObject } from '../../util/plain.ts'

/** An item of a list in a file, and the keys of that list. */
export interface ListItem {
  readonly path: readonly string[]
  readonly value: unknown
}

/** What is in the lists at these paths. `refuse` makes the error for a file that cannot be added to. */
export function listsIn(
  file: string,
  text: string,
  paths: readonly ListItem['path'][],
  refuse: (what: string, why: string) => Error
): readonly (readonly unknown[])[] {
  if (text.trim() === '') return paths.map(() => [])
  const { document, findings } = parseDocument(file, text)
  const words = findings.all.map(({ message, place }) => `line ${place.line}: ${message}`)
  if (document === undefined) throw refuse(`${file} cannot be read as settings`, words.join('; '))
  return paths.map(path => {
    let at: unknown = document.value
    for (const [depth, key] of path.entries()) {
      if (!isObject(at))
        throw refuse(`${file} cannot be added to`, `${path.slice(0, depth).join('.')} is not an object`)
      at = at[key]
      if (at === undefined) return []
    }
    if (!Array.isArray(at)) throw refuse(`${file} cannot be added to`, `${path.join('.')} is not a list`)
    return at as readonly unknown[]
  })
}

/** JSON with these items at the end of their lists. No other byte changes, but for commas. */
export const withItems = (text: string, items: readonly ListItem[]): string =>
  items.reduce(withItem, text.trim() === '' ? '{}\n' : text)

function withItem(text: string, { path, value }: ListItem): string {
  const root = treeOf(text)
  const depth = path.findIndex((_, at) => findNodeAtLocation(root, path.slice(0, at + 1)) === undefined)
  const [key, ...missing] = depth === -1 ? [] : path.slice(depth)
  const holder = findNodeAtLocation(root, depth === -1 ? [...path] : path.slice(0, depth)) ?? root
  const added = key === undefined ? value : missing.reduceRight<unknown>((inner, name) => ({ [name]: inner }), [value])
  return applyEdits(text, insertion(text, holder, key, added))
}

/** Puts an item at the end of a list, or a property at the end of an object. */
function insertion(text: string, holder: Node, key: string | undefined, added: unknown): Edit[] {
  const last = holder.children?.at(-1)
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const unit = /^(?<indent>[ \t]+)\S/m.exec(text)?.groups?.['indent'] ?? '  '
  // What is written on one line stays on one line; an empty file does not.
  const isFlat =
    !(last === undefined ? text.trim() : text.slice(holder.offset, endOf(holder))).includes('\n') &&
    (last ?? holder.parent) !== undefined
  const space = isFlat && !/[:,] /.test(text) ? '' : ' '
  const outer = /(?:^|\n)([ \t]*).*$/.exec(text.slice(0, holder.offset))?.[1] ?? ''
  const indent = /(?:^|\n)([ \t]*)$/.exec(text.slice(0, last?.offset ?? 0))?.[1] || outer + unit
  const value = JSON.stringify(added, null, isFlat ? undefined : unit).replaceAll('\n', eol + indent)
  const item = `${isFlat ? '' : eol + indent}${key === undefined ? '' : `${JSON.stringify(key)}:${space}`}${value}`
  if (last === undefined) {
    const at = ended(ALL_COMMENTS, text, holder.offset + 1) ?? holder.offset + 1
    const isShut = !isFlat && !/[^ \t]/.test(text.slice(holder.offset + 1, endOf(holder) - 1))
    return [insert(at, isShut ? item + eol + outer : item)]
  }
  const { comma, at } = behind(text, endOf(last))
  if (comma !== undefined) return [insert(at, `${isFlat ? space : ''}${item},`)]
  return [insert(endOf(last), ','), insert(at, isFlat ? space + item : item)]
}

type IsKept = (path: readonly (string | number)[]) => boolean

/** JSON without the items that hold such a text, and without lists and objects that are empty then, unless they are kept. */
export function withoutItems(text: string, isMeant: (text: string) => boolean, isKept: IsKept): string {
  for (let now = text; ;) {
    const [found] = meantIn(treeOf(now), isMeant)
    if (found === undefined) return now
    now = applyEdits(now, removal(now, outermost(found, isKept)))
  }
}

/** The items of lists that hold such a text. */
export function meantIn(node: Node, isMeant: (text: string) => boolean): readonly Node[] {
  if (node.type !== 'string') return (node.children ?? []).flatMap(child => meantIn(child, isMeant))
  if (!isMeant(String(node.value))) return []
  let item = node
  while (item.parent !== undefined && item.parent.type !== 'array') item = item.parent
  return item.parent === undefined ? [] : [item]
}

/** What an item is the whole content of: a rule whose only hook it is, an event, all hooks. */
function outermost(item: Node, isKept: IsKept): Node {
  const list = item.parent
  const property = list?.parent
  if (list === undefined || property?.parent === undefined || list.children?.length !== 1) return item
  if (property.parent.parent?.type === 'array') return outermost(property.parent, isKept)
  if (isKept(getNodePath(list))) return item
  return emptied(property, isKept)
}

function emptied(property: Node, isKept: IsKept): Node {
  const object = property.parent
  const isWhole = object?.children?.length === 1 && object.parent !== undefined && !isKept(getNodePath(object))
  return isWhole ? emptied(object.parent, isKept) : property
}

function removal(text: string, node: Node): Edit[] {
  const siblings = node.parent?.children ?? []
  const before = siblings[siblings.indexOf(node) - 1]
  const { comma } = behind(text, endOf(node))
  const [start, end] = [cutFrom(text, node, before ? endOf(before) : (node.parent?.offset ?? 0) + 1), endOf(node)]
  if (siblings.length === 1 && node.parent !== undefined) {
    const [open, close] = [node.parent.offset + 1, endOf(node.parent) - 1]
    const rest = text.slice(open, start) + text.slice(end, close).replace(',', '')
    if (rest.trim() === '') return [cut(open, close)]
  }
  const between = comma ?? (before && behind(text, endOf(before)).comma)
  return [cut(start, end), ...(between === undefined ? [] : [cut(between, between + 1)])]
}

/** With the line break before it; not if what follows would then be part of a comment. */
function cutFrom(text: string, node: Node, before: number): number {
  const gap = text.slice(before, node.offset)
  const [lead = ''] = /(?:\r?\n|(?<=,))[ \t]*$/.exec(gap) ?? []
  const isLast = /^,?[ \t]*(?:\r?\n|$|\/)/.test(text.slice(endOf(node)))
  return node.offset - (gap.includes('//') && !isLast ? lead.replace(/^\r?\n/, '').length : lead.length)
}

/** The comma behind a node, and where what belongs to the node ends: behind the comments on its line. */
function behind(text: string, end: number): { readonly comma: number | undefined; readonly at: number } {
  const stop = ended(TO_COMMA, text, end)
  return { comma: stop && stop - 1, at: ended(COMMENTS, text, stop ?? end) ?? end }
}

const COMMENT = String.raw`(?:\/\/[^\r\n]*(?![^\r\n])|\/\*(?:[^*]|\*(?!\/))*\*\/)`
const TO_COMMA = new RegExp(String.raw`(?:\s|${COMMENT})*,`, 'y')
const COMMENTS = new RegExp(String.raw`(?:[ \t]*${COMMENT})*`, 'y')
const ALL_COMMENTS = new RegExp(String.raw`(?:\s*${COMMENT})*`, 'y')

function ended(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : undefined
}

export function treeOf(text: string): Node {
  const root = parseTree(text, [], { allowTrailingComma: true })
  if (root === undefined) throw new Error('there is no JSON')
  return root
}

const endOf = ({ offset, length }: Node): number => offset + length
const cut = (from: number, to: number): Edit => ({ offset: from, length: to - from, content: '' })
const insert = (offset: number, content: string): Edit => ({ offset, length: 0, content })
