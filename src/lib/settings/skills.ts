import { dirname } from 'node:path'
import type { Skill } from '../agent/skills.ts'
import { parseRule, type Rule } from '../permissions/rule.ts'
import { bodyOf } from './frontmatter.ts'
import { KeyReader } from './keys.ts'
import type { Loaded, LoadedOwner } from './loaded.ts'
import { withPluginPaths } from './owners.ts'

/**
 * The skills and slash commands that were found. A skill comes before a command of its name, and the project's before
 * the user's. Nothing in them is ever executed. What one of a project allows counts only when the project is trusted,
 * and so does all of a plugin that the project has enabled.
 */
export function skillsIn(
  { owners, grants }: Pick<Loaded, 'owners' | 'grants'>,
  trusted: boolean,
  note: (text: string) => void
): ReadonlyMap<string, Skill> {
  const skills = new Map<string, Skill>()
  for (const owner of owners) {
    if (owner.kind === 'agent' || !counts(owner, trusted)) continue
    const allows = grants.filter(each => isOf(each.place.file, owner) && (trusted || !owner.ofProject))
    skills.set(
      owner.name,
      skillOf(
        owner,
        allows.flatMap(each => ruleIn(each, note))
      )
    )
  }
  return skills
}

/** What a project has enabled counts when the project does. Its own words are only words. */
export const counts = ({ plugin }: LoadedOwner, trusted: boolean): boolean => plugin?.ofProject !== true || trusted

const isOf = (file: string, owner: LoadedOwner): boolean => owner.file === file

/** A rule that cannot be read allows nothing. It lifts no protection of a path, whoever wrote it. */
function ruleIn({ rule, place }: Loaded['grants'][number], note: (text: string) => void): readonly Rule[] {
  const source = `${place.file}:${place.line}`
  const parsed = parseRule(rule, 'allow', source)
  if (!('problem' in parsed)) return [{ ...parsed, ofProject: true }]
  note(`allowed-tools in ${source}: ${parsed.problem}`)
  return []
}

function skillOf({ kind, name, file, document, plugin, ofProject }: LoadedOwner, allows: readonly Rule[]): Skill {
  const isSkill = kind === 'skill'
  const reader = document && new KeyReader(document)
  return {
    name,
    description: reader?.text('description') ?? name,
    source: plugin !== undefined ? 'plugin' : ofProject ? 'projectSettings' : 'userSettings',
    folder: dirname(file),
    byModel: isSkill && reader?.flag('disable-model-invocation') !== true,
    allows,
    // Read when it is called: most are not.
    text: () => (plugin === undefined ? bodyOf(file) : withPluginPaths(bodyOf(file), plugin))
  }
}
