import { readdirSync, type Dirent } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { fault } from '../../faults.ts'
import type { Rule } from '../../permissions/policy.ts'
import { PROTECTED_FOLDERS } from '../../shell/rows/paths.ts'
import { protectedPart } from '../../permissions/protected-paths.ts'
import { rulesOf } from '../../settings/permissions/permission-settings.ts'
import { attempt } from '../../util/attempt.ts'
import { isFolder, isThere, isWithin, realPath } from '../../world/files/paths.ts'
import { Sandbox, sandboxProblem, type Guarded, type SandboxPolicy } from '../../world/process/sandbox.ts'
import { otherNames } from '../options/other-names.ts'
import { DeniedFiles } from './denied-files.ts'
import { ofCaller } from './permission-rules.ts'
import type { ProjectContext } from './project-context.ts'
import type { SessionRef } from './servers.ts'

/** In the home of a user. */
const CREDENTIAL_PATHS = `.ssh .aws .azure .gnupg .kube .docker .netrc .npmrc .pypirc .pgpass .my.cnf .git-credentials
  .s3cfg .boto .oci .fly .kaggle .databrickscfg .snowsql .condarc .yarnrc.yml .bunfig.toml .cloudflared .jfrog .pip/pip.conf
  .ivy2/.credentials .sbt/.credentials .composer/auth.json .nuget/NuGet .huggingface .cache/huggingface/token .config/age
  .config/composer/auth.json .config/doctl .config/hcloud .config/heroku .config/huggingface .config/pip .config/configstore
  .config/github-copilot .config/anthropic .config/openai .config/opencode .gemini .local/share/opencode/auth.json
  .local/share/com.vercel.cli .local/share/fish/fish_history .local/share/atuin .mysql_history .sqlite_history
  .rediscli_history .lesshst .wget-hsts .config/BraveSoftware .config/microsoft-edge .thunderbird .electrum .bitcoin
  .vault-token .terraform.d .password-store .mozilla .claude.json .claude/.credentials.json .codex/auth.json
  .config/gh .config/glab-cli .config/hub .config/gcloud .config/git/credentials .config/op .config/chromium
  .config/google-chrome .config/containers .config/rclone .config/sops .local/share/keyrings .local/share/containers/auth
  .cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml .gradle/gradle.properties
  .bash_history .zsh_history .python_history .node_repl_history .psql_history`.split(/\s+/)
const CREDENTIALS_OF_SYSTEM = ['/etc/shadow', '/etc/gshadow', '/etc/ssl/private', '/etc/krb5.keytab']

interface SandboxPlaces {
  readonly directories: readonly string[]
  readonly envFile: string
  readonly shown: readonly string[]
}

type SandboxProject = Pick<ProjectContext, 'loaded' | 'where' | 'trusted' | 'options'>

/** Throws if it cannot be used, before anything is started. */
export function openSandbox(project: SandboxProject, places: SandboxPlaces, ref: SessionRef = {}): Sandbox {
  const isWhole = project.loaded.root === '/'
  const problem = sandboxProblem() ?? (isWhole ? 'the project is the whole file system' : undefined)
  if (problem !== undefined) throw fault('E_SANDBOX', problem)
  return new Sandbox(policyOf(project, places, ref))
}

function policyOf(project: SandboxProject, places: SandboxPlaces, ref: SessionRef): SandboxPolicy {
  const { loaded, where, trusted, options } = project
  const { directories, envFile, shown } = places
  const { root, sandbox } = loaded
  const { home, ownHome } = where
  const absolute = (path: string): string => realPath(path.replace(/^~(?=\/|$)/, home), root)
  const projects = [root, ...directories]
  const writable = [...projects, ...sandbox.allowWrite.map(absolute)]
  const readable = sandbox.allowRead.map(absolute)
  const credentials = [...new Set([home, attempt(() => realPath(userInfo().homedir)) ?? home])]
    .flatMap(each => CREDENTIAL_PATHS.map(name => join(each, name)))
    .concat(CREDENTIALS_OF_SYSTEM)
    .filter(path => !readable.some(each => isWithin(path, each)))
  const initial = [...rulesOf(loaded, trusted), ...ofCaller(options)]
  const denied = (tools: readonly string[], named: readonly string[]): (() => readonly string[]) => {
    const finder = new DeniedFiles({ roots: writable, home })
    const rules = (): readonly Rule[] => ref.session?.permissions.rules ?? initial
    return () => finder.find([...rules().flatMap(rule => deniedBy(rule, tools)), ...named.map(asSpecifier)])
  }
  const [unreadable, unwritable] = [denied(['Read'], sandbox.denyRead), denied(['Edit', 'Write'], sandbox.denyWrite)]
  return {
    with: folder => policyOf(project, { ...places, directories: [...directories, folder] }, ref),
    writable,
    guarded: projects.flatMap(guardedIn).filter(({ path }) => !writable.includes(path)),
    envFile,
    network: sandbox.network,
    unixSockets: sandbox.unixSockets,
    places() {
      const hidden = unreadable()
      const open = readable.filter(path => !hidden.some(each => isWithin(path, each)))
      return {
        hidden: [ownHome, ...credentials, ...hidden],
        shown: [...shown, ...open],
        readOnly: [...writable.flatMap(each => protectedIn(each, home)), ...otherNames(root, home), ...unwritable()]
      }
    }
  }
}

const deniedBy = ({ behavior, tool, specifier }: Rule, tools: readonly string[]): readonly string[] =>
  behavior === 'deny' && tools.includes(tool) && specifier !== undefined ? [specifier] : []

/** Paths of the sandbox settings are those of the file system; `/x` in a rule is in the project. */
const asSpecifier = (path: string): string =>
  path.startsWith('/') ? `/${path}` : /^(?:~|\*\*\/)/.test(path) ? path : `./${path}`

/** Nothing can be created there: it would control the agent, or git. Git ignores empty folders. */
function guardedIn(folder: string): readonly Guarded[] {
  const ofGit: readonly Guarded[] = isFolder(join(folder, '.git'))
    ? [
        { path: '.git/hooks' },
        { path: '.git/info' },
        { path: '.git/commondir', text: '.\n' },
        { path: '.git/config.worktree', text: '' }
      ]
    : [{ path: '.git' }]
  return [{ path: '.claude' }, { path: '.mcp.json' }, ...ofGit].map(each => ({
    ...each,
    path: join(folder, each.path)
  }))
}

/** What exists of the protected paths in a folder. */
function protectedIn(folder: string, home: string): readonly string[] {
  const policy = { rules: [], mode: 'default', roots: [folder], home } as const
  const isProtected = (path: string): boolean => protectedPart(path, policy, isThere) !== undefined
  return entriesIn(folder).flatMap(entry => {
    const [path, name] = [join(folder, entry.name), entry.name.toLowerCase()]
    const isKnown = PROTECTED_FOLDERS.has(name)
    if (entry.isSymbolicLink() && (isKnown || isProtected(path)))
      throw fault(
        'E_SANDBOX',
        `${path} is a symbolic link, which cannot be protected; put the folder or file itself there`
      )
    const isWhole = isKnown && (name === '.claude' || PROTECTED_FOLDERS.get(name) === undefined)
    if (isWhole || (!entry.isDirectory() && isProtected(path))) return [path]
    if (!entry.isDirectory() || !(isKnown || name.startsWith('.'))) return []
    const inside = entriesIn(path).map(each => join(path, each.name))
    // HEAD changes with each checkout.
    return inside.filter(each => isProtected(each) && !each.endsWith('/HEAD'))
  })
}

const entriesIn = (folder: string): readonly Dirent[] =>
  attempt(() => readdirSync(folder, { withFileTypes: true })) ?? []
