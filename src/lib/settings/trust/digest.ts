import { relative, sep } from 'node:path'
import { isObject } from '../../util/plain.ts'
import { hashOf, recordFiles } from './trusted-files.ts'
import type { Loaded, LoadedRule } from '../files/loaded-hooks.ts'

export interface Coverage {
  readonly digest: string
  /** Name → hash of each part, to show what has changed. */
  readonly parts: ReadonlyMap<string, string>
}

const known = new WeakMap<Loaded, Coverage | undefined>()

/** As it is at the first call. `undefined`: the project brings nothing that could act. */
export function coverageOf(loaded: Loaded): Coverage | undefined {
  if (!known.has(loaded)) known.set(loaded, cover(loaded))
  return known.get(loaded)
}

function cover(loaded: Loaded): Coverage | undefined {
  const { hooks, modules, owners: files, servers, root } = loaded
  const parts = new Map<string, string>()
  for (const [name, text] of declarations(loaded)) parts.set(name, hashOf(text))
  const owners = [...[...hooks, ...modules, ...files].filter(({ ofProject }) => ofProject), ...servers]
  for (const [file, hash] of recordFiles(owners, root))
    parts.set(`file ${relative(root, file).split(sep).join('/')}`, hash)
  if (parts.size === 0) return undefined
  const lines = [...parts].map(part => `${JSON.stringify(part)}\n`).toSorted()
  return { digest: `sha256:${hashOf(lines.join(''))}`, parts }
}

function* declarations(loaded: Loaded): Generator<readonly [string, string]> {
  const { hooks, rules, grants, modules, owners, servers, root } = loaded
  const seen = new Map<string, number>()
  const number = (name: string): string => {
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return count === 1 ? name : `${name} #${count}`
  }
  for (const hook of hooks.filter(each => each.ofProject)) {
    const { event, matcher = '', name = '', spec, owner = '', plugin } = hook
    yield [
      number(`hook ${event} ${matcher} ${hook.runs}`),
      canonical([event, matcher, name, spec, owner, plugin?.name ?? ''])
    ]
  }
  for (const each of rules)
    if (needsTrust(each))
      yield [number(`rule allow ${each.rule}`), each.sandbox === true ? canonical([each.rule, true]) : each.rule]
  for (const { owner, rule, ofProject } of grants)
    if (ofProject) yield [number(`rule allow ${rule} while ${owner} is active`), canonical([owner, rule])]
  for (const { file, ofProject } of modules)
    if (ofProject) yield [number(`module ${relative(root, file)}`), relative(root, file)]
  for (const { kind, name, ofProject } of owners)
    if (ofProject) yield [number(`${kind} ${name}`), canonical([kind, name])]
  for (const { name, spec } of servers) yield [number(`server ${name}`), canonical([name, spec])]
}

export const needsTrust = ({ scope, behaviour }: LoadedRule): boolean =>
  behaviour === 'allow' && (scope === 'project' || scope === 'local')

/** Keys are sorted, so that equal values give equal text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    isObject(item) ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1))) : item
  )
}
