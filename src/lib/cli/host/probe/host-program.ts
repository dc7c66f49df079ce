/** How each host is started without a person, against a model server of ours. */
import { join } from 'node:path'
import type { HostName } from '../hosts.ts'
import type { ModelCall } from './model-wire.ts'

interface HostPlace {
  /** Of the model server. */
  readonly url: string
  /** In which it works. */
  readonly project: string
  /** For files that only this run needs. */
  readonly folder: string
}

export interface HostProgram {
  /** Its package on npm; the version is that of its dialect. */
  readonly npm: string
  /** Its name in PATH. */
  readonly program: string
  /** A call of its shell. */
  readonly shell: (command: string) => ModelCall
  /** By which it keeps no transcript. */
  readonly forgetful?: readonly string[]
  /** What to start it with, and texts of files. The person's configuration stays in force, but for the model and for questions. */
  readonly start: (place: HostPlace) => {
    readonly args: readonly string[]
    readonly env: Readonly<Record<string, string>>
    readonly files?: Readonly<Record<string, string>>
  }
}

const PROMPT = 'Please work'
const KEY = 'none-is-needed'
const MODEL = 'scripted'

const GEMINI_SETTINGS = JSON.stringify({
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false }
})

export const HOST_PROGRAMS: Readonly<Record<HostName, HostProgram>> = {
  claude: {
    npm: '@anthropic-ai/claude-code',
    program: 'claude',
    forgetful: ['--no-session-persistence'],
    shell: command => ({ name: 'Bash', input: { command, description: 'Works' } }),
    start({ url }) {
      const traffic = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' }
      const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY, ...traffic }
      // The person's settings may set variables, too; these come later.
      const settings = JSON.stringify({ env, permissions: { allow: ['Bash'] } })
      return { args: ['-p', PROMPT, '--model', 'claude-sonnet-4-5', '--settings', settings], env }
    }
  },
  codex: {
    npm: '@openai/codex',
    program: 'codex',
    forgetful: ['--ephemeral'],
    shell: command => ({ name: 'exec_command', input: { cmd: command } }),
    start({ url }) {
      const provider = `{name="${MODEL}",base_url="${url}/v1",env_key="SCRIPTED_KEY",wire_api="responses"}`
      const model = ['model="gpt-5.5"', `model_provider="${MODEL}"`, `model_providers.${MODEL}=${provider}`]
      const config = [...model, 'features.unified_exec=true']
      // The only command that this model asks for is ours, and sandboxes within sandboxes fail.
      const flags = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
      return { args: ['exec', ...flags, ...config.flatMap(line => ['-c', line]), PROMPT], env: { SCRIPTED_KEY: KEY } }
    }
  },
  gemini: {
    npm: '@google/gemini-cli',
    program: 'gemini',
    shell: command => ({ name: 'run_shell_command', input: { command } }),
    start: ({ url, project }) => ({
      args: ['-p', PROMPT, '--approval-mode', 'yolo', '-m', 'gemini-2.5-pro'],
      // The settings count only in a trusted folder.
      env: { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
      files: { [join(project, '.gemini/settings.json')]: GEMINI_SETTINGS }
    })
  },
  qwen: {
    npm: '@qwen-code/qwen-code',
    program: 'qwen',
    forgetful: ['--chat-recording=false'],
    shell: command => ({ name: 'run_shell_command', input: { command, is_background: false } }),
    start({ url }) {
      const provider = ['--auth-type', 'openai', '--openai-api-key', KEY, '--openai-base-url', `${url}/v1`]
      return { args: ['-p', PROMPT, '--approval-mode', 'yolo', ...provider, '-m', MODEL], env: {} }
    }
  },
  copilot: {
    npm: '@github/copilot',
    program: 'copilot',
    shell: command => ({ name: 'bash', input: { command, description: 'Works' } }),
    start: ({ url }) => ({
      args: ['-p', PROMPT, '--allow-all-tools', '--allow-all-paths'],
      env: { COPILOT_OFFLINE: 'true', COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_MODEL: MODEL }
    })
  },
  pi: {
    npm: '@earendil-works/pi-coding-agent',
    program: 'pi',
    forgetful: ['--no-session'],
    shell: command => ({ name: 'bash', input: { command } }),
    start({ url, folder }) {
      const file = join(folder, 'provider.js')
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
      const size = { contextWindow: 200_000, maxTokens: 8_000 }
      const models = [{ id: MODEL, name: MODEL, reasoning: false, input: ['text'], cost, ...size }]
      const provider = { baseUrl: `${url}/v1`, apiKey: KEY, api: 'openai-completions', models }
      return {
        args: ['-p', '-e', file, '--provider', MODEL, '--model', MODEL, PROMPT],
        env: { PI_OFFLINE: '1' },
        files: { [file]: `export default pi => pi.registerProvider('${MODEL}', ${JSON.stringify(provider)})\n` }
      }
    }
  }
}
