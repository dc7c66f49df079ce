import { EVENT_NAMES } from '../../hooks/events/event-table.ts'
import { nearMiss } from '../../util/near.ts'
import { isObject, type PlainObject } from '../../util/plain.ts'
import type { Document } from './document.ts'
import type { KeyPath } from '../../schema/check.ts'
import type { Findings } from './finding.ts'
import type { LoadedOwner } from './loaded-hooks.ts'
import { SETTINGS_KEYS } from './settings-table.ts'

const namesIn = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Keys of Claude Code that restrict there, and are not read here. */
const RESTRICTS_ELSEWHERE = namesIn(`deniedMcpServers allowedMcpServers disabledMcpjsonServers
  allowManagedMcpServersOnly allowManagedPermissionRulesOnly strictKnownMarketplaces blockedMarketplaces
  disableSkillShellExecution availableModels policyHelper skillOverrides`)

const ELSEWHERE = namesIn(`agent model modelOverrides advisorModel theme verbose language editorMode
  statusLine subagentStatusLine outputStyle attribution includeCoAuthoredBy includeGitInstructions cleanupPeriodDays
  plansDirectory apiKeyHelper proxyAuthHelper companyAnnouncements minimumVersion alwaysThinkingEnabled effortLevel
  feedbackSurveyRate fileSuggestion respectGitignore channelsEnabled extraKnownMarketplaces pluginConfigs
  pluginTrustMessage pluginSuggestionMarketplaces worktree teammateMode tui viewMode voice voiceEnabled defaultShell
  claudeMdExcludes parentSettingsBehavior fastMode fastModePerSessionOptIn sshConfigs remote tipsHistory
  useAutoModeDuringPlan preferredNotifChannel todoFeatureEnabled hasCompletedOnboarding`)
const FAMILY = /^(?:auto|aws|disable|enabled?|force|gcp|otel|prefers|show|skip|skill|spinner|terminal)[A-Z]\w*$/
const COMMENT = /^[$_#/]|^comments?$/

const DENIES = /^(?:den|disallow|forbid|block|reject)[\w-]*$|^(?:disabled?|excluded?)[-_]?tools$/i

const homeOf = (key: string): string | undefined => {
  if (SETTINGS_KEYS.permissions.includes(key)) return `permissions.${key}`
  if (/^(?:permissions|hooks|carabiner)\./.test(key)) return key.replaceAll('.', ' → ')
  if (DENIES.test(key)) return 'permissions.deny'
  if (/^disableBypass./i.test(key)) return 'permissions.disableBypassPermissionsMode'
  if (SETTINGS_KEYS.top.includes(key)) return `${key}, at the top of the file`
  if (SETTINGS_KEYS.carabiner.includes(key)) return `carabiner.${key}`
  return EVENT_NAMES.some(event => event === key) ? `hooks.${key}` : undefined
}

export function checkKeys({ value, findings }: Document): void {
  check(value, [], SETTINGS_KEYS.top)
  for (const part of ['permissions', 'carabiner', 'sandbox'] as const) {
    const inner = value[part]
    if (isObject(inner)) check(inner, [part], SETTINGS_KEYS[part])
  }
  const [first, ...more] = RESTRICTS_ELSEWHERE.filter(key => value[key] !== undefined)
  if (first !== undefined)
    findings.gate('warning', [first], 'key-idle', `${[first, ...more].join(', ')} is not enforced here`)

  function check(part: PlainObject, path: KeyPath, known: readonly string[]): void {
    const isTop = path.length === 0
    const isOthers = (key: string): boolean =>
      RESTRICTS_ELSEWHERE.includes(key) || COMMENT.test(key) || (isTop && ELSEWHERE.includes(key))
    const stray = Object.keys(part).filter(key => !known.includes(key) && !isOthers(key))
    const [unknown, ...others] = stray.filter(
      key => !remarkOnKey([...path, key], known, homeOf(key), findings) && !(isTop && FAMILY.test(key))
    )
    if (unknown === undefined) return
    const message = `${[unknown, ...others].join(', ')} ${others.length === 0 ? 'is' : 'are'} not read here`
    findings.gate('warning', [...path, unknown], 'key-unknown', message)
  }
}

function remarkOnKey(path: KeyPath, known: readonly string[], home: string | undefined, findings: Findings): boolean {
  const key = String(path.at(-1))
  const near = nearMiss(key, known)
  if (near === undefined && home === undefined) return false
  // Losing a key that only loosens is a warning.
  const restricts = !['allow', 'env', 'additionalDirectories'].includes(near ?? key)
  const isCase = near?.toLowerCase() === key.toLowerCase()
  const fix = isCase ? `write ${near}` : near === undefined ? `write it as ${home}` : `did you mean ${near}?`
  const code = isCase ? 'key-case' : near === undefined ? 'key-misplaced' : 'key-unknown'
  const message = `${key} is not read here, so it protects nothing`
  findings.gate(restricts ? 'error' : 'warning', path, code, message, fix)
  return true
}

const OF_AGENTS = ['tools', 'disallowedTools', 'hooks', 'permissionMode']
const TOOLS_OF_SKILLS = /^allowed-?tools$/i

export function checkOwnerKeys(kind: LoadedOwner['kind'], { value, findings }: Document): void {
  const known = kind === 'agent' ? OF_AGENTS : ['hooks']
  for (const key of kind === 'agent' ? ['tools', 'disallowedTools'] : [])
    if (!isList(value[key]))
      findings.gate('error', [key], 'key-type', `${key} should be a list of texts`, 'put its values in quotes')
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const home = DENIES.test(key) ? 'disallowedTools' : TOOLS_OF_SKILLS.test(key) ? 'tools' : undefined
    remarkOnKey([key], known, kind === 'agent' ? home : undefined, findings)
  }
}

/** Names separated by commas, or a list of them; an absent value counts as an empty list. */
export const isList = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === 'string' || isTexts(value)

export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string')
