/** The syntax of source files: their functions, the names that they declare and export, what they import. */
import { parseSync, visitorKeys } from 'oxc-parser'

/** A node of the tree, as far as it is looked at here. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

interface FunctionFigures {
  /** Its name, or that of what it is assigned to; empty for one without. */
  readonly name: string
  readonly line: number
  readonly lines: number
  readonly parameters: number
}

/** A name that a file declares at its top level or as a member of a class or type. */
export interface Declared {
  readonly name: string
  readonly line: number
  readonly isCallable: boolean
  readonly isDeprecated: boolean
}

export interface Syntax {
  readonly lines: number
  readonly functions: readonly FunctionFigures[]
  /** Non-null assertions: `value!`. */
  readonly assertions: number
  /** Names that are declared here and exported. What is only passed on from another file is not among them. */
  readonly exported: readonly Declared[]
  /** All declared names, exported or not, with the members of classes and types. */
  readonly declared: readonly Declared[]
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

/** Reads a file. One that cannot be parsed is an error. */
export function syntaxOf(path: string, text: string): Syntax {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`)
  const root = program as unknown as Node
  const source = new Source(text)
  const functions: FunctionFigures[] = []
  const members: Declared[] = []
  let assertions = 0
  walk(root, undefined, (node, parent) => {
    if (FUNCTIONS.has(node.type) && nodeAt(node, 'body') !== undefined) functions.push(source.figures(node, parent))
    if (node.type === 'TSNonNullExpression') assertions++
    if (MEMBERS.has(node.type)) members.push(...source.declared(node, nodeAt(node, 'key'), isCallable(node)))
  })
  const top = nodesAt(root, 'body').flatMap(statement => source.topLevel(statement))
  const listed = nodesAt(root, 'body').flatMap(exportList)
  const local = top.flatMap(({ exported, ...rest }) =>
    exported ? [rest] : listed.filter(({ from }) => from === rest.name).map(({ name }) => ({ ...rest, name }))
  )
  const declared = [...top.map(({ exported: _, ...rest }) => rest), ...members]
  return { lines: text.split('\n').length - 1, functions, assertions, exported: local, declared }
}

const MEMBERS = new Set([
  'TSPropertySignature',
  'TSMethodSignature',
  'MethodDefinition',
  'PropertyDefinition',
  'TSAbstractMethodDefinition'
])

function walk(node: Node, parent: Node | undefined, visit: (node: Node, parent: Node | undefined) => void): void {
  visit(node, parent)
  for (const key of visitorKeys[node.type] ?? []) for (const child of nodesAt(node, key)) walk(child, node, visit)
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

const nodeAt = (node: Node | undefined, key: string): Node | undefined => {
  const value = node?.[key]
  return isNode(value) ? value : undefined
}

const nodesAt = (node: Node, key: string): readonly Node[] => {
  const value = node[key]
  return (Array.isArray(value) ? value : [value]).filter(isNode)
}

const nameIn = (node: Node | undefined): string => {
  const name = node?.['name'] ?? node?.['value']
  return typeof name === 'string' ? name : ''
}

/** Whether what this declares can be called. */
function isCallable(node: Node): boolean {
  if (node.type.includes('Method') || FUNCTIONS.has(node.type)) return true
  const value = nodeAt(node, 'value') ?? nodeAt(node, 'init')
  const type = nodeAt(nodeAt(node, 'typeAnnotation') ?? nodeAt(nodeAt(node, 'id'), 'typeAnnotation'), 'typeAnnotation')
  return (value !== undefined && FUNCTIONS.has(value.type)) || type?.type === 'TSFunctionType'
}

/** The names of `export { a, b as c }`; not those of `export { a } from 'elsewhere'`. */
function exportList(statement: Node): readonly { readonly from: string; readonly name: string }[] {
  if (statement.type !== 'ExportNamedDeclaration' || nodeAt(statement, 'source') !== undefined) return []
  return nodesAt(statement, 'specifiers').map(one => ({
    from: nameIn(nodeAt(one, 'local')),
    name: nameIn(nodeAt(one, 'exported'))
  }))
}

class Source {
  readonly #text: string
  readonly #starts: readonly number[]

  constructor(text: string) {
    this.#text = text
    this.#starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
  }

  lineOf(offset: number): number {
    const next = this.#starts.findIndex(start => start > offset)
    return next === -1 ? this.#starts.length : next
  }

  figures(node: Node, parent: Node | undefined): FunctionFigures {
    const owner = nodeAt(node, 'id') ?? nodeAt(parent, 'id') ?? nodeAt(parent, 'key')
    const parameters = nodesAt(node, 'params').filter(each => nameIn(each) !== 'this').length
    const line = this.lineOf(node.start)
    return { name: nameIn(owner), line, lines: this.lineOf(node.end) - line + 1, parameters }
  }

  declared(node: Node, id: Node | undefined, callable: boolean): readonly Declared[] {
    if (id === undefined) return []
    if (id.type === 'ObjectPattern' || id.type === 'ArrayPattern') {
      const parts = nodesAt(id, id.type === 'ObjectPattern' ? 'properties' : 'elements')
      return parts.flatMap(part =>
        this.declared(node, nodeAt(part, 'value') ?? nodeAt(part, 'argument') ?? part, callable)
      )
    }
    const name = nameIn(nodeAt(id, 'left') ?? id)
    return [{ name, line: this.lineOf(node.start), isCallable: callable, isDeprecated: this.#isDeprecated(node.start) }]
  }

  /** Whether the comment right before this place says so. */
  #isDeprecated(offset: number): boolean {
    const comment = this.#text.slice(this.#text.lastIndexOf('/**', offset), offset).trimEnd()
    return comment.indexOf('*/') === comment.length - 2 && comment.includes('@deprecated')
  }

  /** The names that a statement at the top level declares. */
  topLevel(statement: Node): readonly (Declared & { readonly exported: boolean })[] {
    const inner = nodeAt(statement, 'declaration')
    const declaration = inner ?? statement
    const parts = declaration.type === 'VariableDeclaration' ? nodesAt(declaration, 'declarations') : [declaration]
    return parts
      .filter(part => part.type.startsWith('TS') || /Declarat(?:ion|or)$/.test(part.type))
      .flatMap(part => {
        const found = this.declared(statement, nodeAt(part, 'id'), isCallable(part))
        return found.map(each => ({ ...each, exported: inner !== undefined }))
      })
  }
}
