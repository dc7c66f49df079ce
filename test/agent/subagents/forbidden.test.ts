/** What is forbidden to a subagent: tools, calls of them, and servers. */
import { describe, expect, test } from 'vitest'
import { createSdkMcpServer, tool, type AgentDefinition, type QueryOptions } from '../../../src/index.ts'
import { ask, type Asked, bashCall, project, resultsIn } from '../../support/agent-kit.ts'

const call = { name: 'Agent', input: { description: 'a task', prompt: 'work', subagent_type: 'worker' } }
const FREE = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const

/** A subagent makes this call, and then its parent does. */
const both = (made: { name: string; input: object }, agent: Partial<AgentDefinition>, more: QueryOptions = {}) =>
  ask([{ calls: [call] }, { calls: [made] }, 'worked', { calls: [made] }, 'done'], {
    in: project({ x: 'kept', 'secrets/key': 'SECRET' }),
    ...FREE,
    ...more,
    agents: { worker: { description: 'Works.', prompt: 'I am worker.', ...agent } }
  })

/** What the subagent and its parent received about the call. */
const answers = ({ sent }: Asked): readonly (string | undefined)[] => [
  resultsIn(sent[2]!).at(-1)?.text,
  resultsIn(sent.at(-1)!).at(-1)?.text
]

describe('a rule in disallowedTools', () => {
  test.each([
    ['a command', bashCall('rm -f x'), 'Bash(rm *)'],
    ['a path', { name: 'Read', input: { file_path: 'secrets/key' } }, 'Read(secrets/**)'],
    ['all calls of a tool', bashCall('true'), 'Bash(*)']
  ])('%s: refused to the child, not to its parent', async (_, made, rule) => {
    const run = await both(made, { disallowedTools: [rule] })
    const [child, parent] = answers(run)
    expect(child).toMatch(/the rule .* in disallowedTools of the agent worker refuses it|No such tool: Bash/)
    expect(parent).not.toMatch(/refuses it|No such tool/)
  })

  test('searches of the child leave out what it may not read', async () => {
    const grep = { name: 'Grep', input: { pattern: 'SECRET', output_mode: 'content' } }
    const [child, parent] = answers(await both(grep, { disallowedTools: ['Read(secrets/**)'] }))
    expect(child).not.toContain('SECRET')
    expect(parent).toContain('SECRET')
  })

  test.each(['mcp__s', 'mcp__s__*', 'mcp__s__wipe'])('%s: the tools of a server are not there', async rule => {
    let wiped = 0
    const wipe = tool('wipe', 'Wipes.', {}, async () => {
      wiped++
      return { content: [{ type: 'text', text: 'wiped' }] }
    })
    const mcpServers = { s: createSdkMcpServer({ name: 's', tools: [wipe] }) }
    const run = await both({ name: 'mcp__s__wipe', input: {} }, { disallowedTools: [rule] }, { mcpServers })
    expect(answers(run)).toEqual([expect.stringContaining('No such tool: mcp__s__wipe'), 'wiped'])
    expect(wiped).toBe(1)
  })

  test('holds for those whom the child calls, and after an approval', async () => {
    const place = project({ x: 'kept' })
    await ask(
      [
        { calls: [call] },
        { calls: [bashCall('touch y')] },
        { calls: [{ ...call, input: { ...call.input, subagent_type: 'other' } }] },
        { calls: [bashCall('rm -f x')] },
        'tried',
        'worked',
        'done'
      ],
      {
        in: place,
        canUseTool: async () => ({
          behavior: 'allow',
          updatedPermissions: [
            { type: 'addRules', behavior: 'allow', destination: 'session', rules: [{ toolName: 'Bash' }] }
          ]
        }),
        agents: {
          worker: { description: 'Works.', prompt: 'I am worker.', disallowedTools: ['Bash(rm *)'] },
          other: { description: 'Others.', prompt: 'I am other.' }
        }
      }
    )
    expect([place.has('y'), place.has('x')]).toEqual([true, true])
  })

  test('that cannot be read ends the query, be it in code or in a file', async () => {
    const inCode = await both(bashCall('true'), { disallowedTools: ['Bash()'] })
    expect(inCode.result.result).toMatch(/"Bash\(\)" has an empty pattern.*disallowedTools of the agent worker/)
    const inFile = async (line: string): Promise<string> => {
      const file = `---\nname: w\ndescription: w\n${line}\n---\nWords.\n`
      return (await ask(['done'], { in: project({ '.claude/agents/w.md': file }), trust: true })).result.result ?? ''
    }
    expect(await inFile('disallowedTools: Read, Bash(')).toMatch(/w\.md:4: disallowedTools: "Bash\(" is not a rule/)
    expect(await inFile('disallowedTools:\n  - "Bash(rm": x')).toMatch(
      /w\.md:5: disallowedTools: disallowedTools should be a list/
    )
    expect(await inFile('tools: { Read: true }')).toContain('tools should be a list')
  })

  test('of a file, with commas in it', async () => {
    const place = project({
      x: 'kept',
      '.claude/agents/worker.md':
        '---\nname: worker\ndescription: w\ndisallowedTools: Write, Bash(rm *), Bash(a, b)\n---\nI am worker.\n'
    })
    const { sent } = await ask([{ calls: [call] }, { calls: [bashCall('rm -f x')] }, 'worked', 'done'], {
      in: place,
      trust: true,
      ...FREE
    })
    expect(resultsIn(sent[2]!)[0]!.text).toContain('the rule Bash(rm *) in disallowedTools of the agent worker')
    expect(place.has('x')).toBe(true)
  })
})
