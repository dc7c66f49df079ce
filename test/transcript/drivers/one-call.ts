/** `one-call.ts <folder>`: a session in this folder with one call of a tool that may have effects, with its transcript on disk. */
import { askIn, callTurn, ownTool, projectIn } from '../../support/agent-scene.ts'

const { result } = await askIn(projectIn(process.argv[2]!), [callTurn('put'), 'Done.'], {
  watch: false,
  settingSources: [],
  tools: [ownTool('put', () => 'It was put.')],
  allowedTools: ['put'],
  persistSession: true
})
if (result.is_error) throw new Error(result.result)
