/** Groups of files that import each other, types included, and the longest way round in each. */
import { importsOf } from './check-imports.ts'

export interface Group {
  /** Files of which each reaches all others. */
  readonly files: readonly string[]
  /** The longest cycle that was found: each imports the next, and the last one the first. */
  readonly cycle: readonly string[]
  /** Whether there can be a longer one: the search ends after a number of steps. */
  readonly isLongest: boolean
}

type Graph = ReadonlyMap<string, readonly string[]>

const STEPS = 300_000

/** All groups of more than one file, the one with the longest cycle first. */
export function groupsIn(files: ReadonlyMap<string, string>): readonly Group[] {
  const graph = new Map(
    Array.from(files, ([path, text]) => [
      path,
      [...new Set(importsOf(path, text).map(({ to }) => to))].filter(to => files.has(to) && to !== path)
    ])
  )
  return componentsOf(graph)
    .filter(({ length }) => length > 1)
    .map(component => ({ files: component.toSorted(), ...longestCycle(within(graph, component)) }))
    .toSorted((a, b) => b.cycle.length - a.cycle.length || b.files.length - a.files.length)
}

function within(graph: Graph, component: readonly string[]): Graph {
  const own = new Set(component)
  return new Map(component.toSorted().map(path => [path, (graph.get(path) ?? []).filter(to => own.has(to)).toSorted()]))
}

/** Tarjan's strongly connected components. */
function componentsOf(graph: Graph): readonly (readonly string[])[] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const open = new Set<string>()
  const found: (readonly string[])[] = []
  const visit = (path: string): number => {
    let low = order.size
    order.set(path, low)
    stack.push(path)
    open.add(path)
    for (const to of graph.get(path) ?? []) {
      if (!order.has(to)) low = Math.min(low, visit(to))
      else if (open.has(to)) low = Math.min(low, order.get(to) ?? low)
    }
    lowest.set(path, low)
    if (low === order.get(path)) {
      const component = stack.splice(stack.indexOf(path))
      for (const each of component) open.delete(each)
      found.push(component)
    }
    return low
  }
  for (const path of graph.keys()) if (!order.has(path)) visit(path)
  return found
}

/** Tries all simple cycles, each from its first file in the order of names, until the steps are used up. */
function longestCycle(graph: Graph): { readonly cycle: readonly string[]; readonly isLongest: boolean } {
  let cycle: readonly string[] = []
  let steps = 0
  const perStart = STEPS / graph.size
  const extend = (trail: readonly string[], limit: number): void => {
    const [start = '', last = start] = [trail[0], trail.at(-1)]
    for (const to of graph.get(last) ?? []) {
      if (steps++ > limit) return
      if (to === start && trail.length > cycle.length) cycle = trail
      else if (to > start && !trail.includes(to)) extend([...trail, to], limit)
    }
  }
  let spent = false
  for (const start of graph.keys()) {
    steps = 0
    extend([start], perStart)
    spent ||= steps > perStart
  }
  return { cycle, isLongest: !spent || cycle.length === graph.size }
}
