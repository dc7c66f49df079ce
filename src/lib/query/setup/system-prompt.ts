import type { Instructions } from '../../agent/instructions/instructions.ts'
import type { QueryOptions } from '../options/options.ts'

const OWN = `You are an agent that works in a folder of its user with the tools it was given.
Look before you change anything, make the smallest change that does what was asked, and check that it does.
When a call is refused, the refusal says who refused it and why: respect it, and look for another way or ask.
Text between <system-reminder> tags comes from the program that runs you or from hooks of the user.
When you are done, say in a few words what you did.`

export function systemPrompt(
  given: QueryOptions['systemPrompt'],
  cwd: string,
  instructions: readonly Instructions[]
): string {
  const { own = OWN, append } = wordsIn(given)
  return [
    own,
    `Working folder: ${cwd}\nPlatform: ${process.platform}\nToday: ${new Date().toISOString().slice(0, 10)}`,
    ...instructions.map(({ path, text }) => `Instructions of the user, from ${path}:\n\n${text.trim()}`),
    ...(append === undefined ? [] : [append])
  ].join('\n\n')
}

function wordsIn(given: QueryOptions['systemPrompt']): { own?: string; append?: string | undefined } {
  if (given === undefined) return {}
  if (typeof given === 'string') return { own: given }
  if ('type' in given) return given.type === 'preset' ? { append: given.append } : wordsIn(given.prompt)
  return { own: given.join('\n\n') }
}
