import { basename, dirname, join, relative } from 'node:path'
import { globSync } from 'node:fs'
import type { Skill } from '../agent/skills.ts'
import { bodyOf, readFrontmatter } from './frontmatter.ts'
import { KeyReader } from './keys.ts'
import { namesIn, type Where } from './sources.ts'

/**
 * The skills and slash commands of the user and of the project, from Markdown files. A skill comes before a command of
 * its name, and the project's before the user's. Nothing in them is ever executed.
 */
export function loadSkills({ home }: Where, root: string): ReadonlyMap<string, Skill> {
  const skills = new Map<string, Skill>()
  for (const base of new Set([home, root])) {
    const source = base === root && base !== home ? 'projectSettings' : 'userSettings'
    const commands = join(base, '.claude/commands')
    for (const file of filesIn(commands)) {
      const name = relative(commands, file).replace(/\.md$/, '').replaceAll(/[/\\]/g, ':')
      skills.set(name, skillIn(file, name, source))
    }
    const folder = join(base, '.claude/skills')
    for (const name of namesIn(folder, '')) {
      const file = join(folder, name, 'SKILL.md')
      const skill = skillIn(file, name, source)
      if (skill.text() !== '') skills.set(skill.name, skill)
    }
  }
  return skills
}

function filesIn(folder: string): readonly string[] {
  try {
    return globSync('**/*.md', { cwd: folder })
      .toSorted()
      .map(name => join(folder, name))
  } catch {
    return []
  }
}

function skillIn(file: string, name: string, source: Skill['source']): Skill {
  const { document } = readFrontmatter(file)
  const isSkill = basename(file) === 'SKILL.md'
  const reader = document && new KeyReader(document)
  return {
    name: (isSkill ? reader?.text('name') : undefined) ?? name,
    description: reader?.text('description') ?? name,
    source,
    folder: dirname(file),
    byModel: isSkill && reader?.flag('disable-model-invocation') !== true,
    // Read when it is called: most are not.
    text: () => bodyOf(file)
  }
}
