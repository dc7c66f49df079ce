import { skillTool, type Skills } from '../agent/skills.ts'
import type { ArmedHooks } from '../settings/armed.ts'
import { loadSkills } from '../settings/skills.ts'
import type { Where } from '../settings/sources.ts'
import type { Tool } from '../tools/tool.ts'
import type { QueryOptions } from './options.ts'
import { isWanted } from './tools.ts'

/** The skills and slash commands of files, unless no files shall count. */
export const skillsOf = ({ settingSources }: QueryOptions, where: Where, root: string, armed: ArmedHooks): Skills => ({
  all: settingSources?.length === 0 ? new Map() : loadSkills(where, root),
  activate: name => armed.activate(name)
})

/** The tool that reads them to the model, where there is one to read. */
export const skillToolsOf = (options: QueryOptions, skills: Skills): readonly Tool[] =>
  isWanted('Skill', options) && [...skills.all.values()].some(({ byModel }) => byModel) ? [skillTool(skills)] : []
