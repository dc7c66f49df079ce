import type { Rule } from '../../permissions/policy.ts'
import { dirname } from 'node:path'
import type { Skill } from '../../agent/instructions/skills.ts'
import { fault } from '../../faults.ts'
import { parseRule } from '../../permissions/rule.ts'
import { fileChange } from '../trust/trusted-files.ts'
import { bodyOf } from '../files/frontmatter.ts'
import type { Loaded, LoadedOwner } from '../files/loaded-hooks.ts'
import { withPluginPaths } from './skills-and-agents.ts'

/**
 * The skills and slash commands that were found. A skill comes before a command of its name, and the project's before
 * the user's, within the limits of that one. Nothing in them is ever executed. What comes with a project applies only
 * when the project is trusted.
 */
export function skillsIn(
  { owners, grants, root }: Pick<Loaded, 'owners' | 'grants' | 'root'>,
  trusted: boolean,
  note: (text: string) => void
): ReadonlyMap<string, Skill> {
  const skills = new Map<string, Skill>()
  const ofUser = new Map<string, Skill>()
  for (const owner of owners) {
    if (owner.kind === 'agent' || !applies(owner, trusted)) continue
    const allows = grants.filter(each => each.place.file === owner.file).flatMap(each => ruleIn(each, note))
    const skill = skillOf(owner, allows, root)
    skills.set(owner.name, owner.ofProject ? withinSkill(ofUser.get(owner.name), skill) : skill)
    if (!owner.ofProject) ofUser.set(owner.name, skill)
  }
  return skills
}

/** Where the user has a skill of that name, the project's allows nothing more, and the model may call it only if it may call that. */
function withinSkill(limits: Skill | undefined, own: Skill): Skill {
  if (limits === undefined) return own
  const { byModel, allows } = limits
  const isAllowed = ({ text }: Rule): boolean => allows.some(rule => rule.text === text)
  return { ...own, byModel: byModel && own.byModel, allows: own.allows.filter(isAllowed) }
}

/** What comes with a project, in its own folder or in a plugin that it enables, applies only when the project is trusted. */
export const applies = ({ ofProject }: LoadedOwner, trusted: boolean): boolean => trusted || !ofProject

/** A rule that cannot be read allows nothing. It never lifts the protection of a path. */
function ruleIn({ rule, place }: Loaded['grants'][number], note: (text: string) => void): readonly Rule[] {
  const source = `${place.file}:${place.line}`
  const parsed = parseRule(rule, 'allow', source)
  if (!('problem' in parsed)) return [{ ...parsed, ofProject: true }]
  note(`allowed-tools in ${source}: ${parsed.problem}`)
  return []
}

function skillOf(owner: LoadedOwner, allows: readonly Rule[], root: string): Skill {
  const { kind, name, file, document, plugin, ofProject } = owner
  const isSkill = kind === 'skill'
  const { description, 'disable-model-invocation': isForPeople } = document?.value ?? {}
  return {
    name,
    description: typeof description === 'string' ? description : name,
    source: plugin !== undefined ? 'plugin' : ofProject ? 'projectSettings' : 'userSettings',
    folder: dirname(file),
    byModel: isSkill && isForPeople !== true,
    allows,
    check() {
      const change = ofProject ? fileChange(owner, root) : undefined
      if (change !== undefined) throw fault('E_UNTRUSTED', root, `${change} since it was trusted`)
    },
    // Read when it is called: most are not.
    text: () => withPluginPaths(bodyOf(file), plugin)
  }
}
