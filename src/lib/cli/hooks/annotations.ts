import { createHash } from 'node:crypto'
import { findingLine, type Finding } from '../../settings/files/finding.ts'
import { pathFrom, realPath } from '../../world/files/paths.ts'
import type { CHECK_FLAGS, FlagValues } from '../flags.ts'
import { printLine, safeJson } from '../print.ts'

type Annotations = FlagValues<typeof CHECK_FLAGS>['annotations'] & string

/** GitHub runs every step with `GITHUB_ACTIONS=true`; GitLab reads a file, so it must be asked for. */
export const usualAnnotations = (): Annotations => (process.env['GITHUB_ACTIONS'] === 'true' ? 'github' : 'none')

const GITHUB_LEVELS = { error: 'error', warning: 'warning', info: 'notice' } as const
const GITLAB_LEVELS = { error: 'major', warning: 'minor', info: 'info' } as const

/** One workflow command per finding. Line ends are escaped: text from a project cannot become a separate command. */
export function printGithub(findings: readonly Finding[], root: string): void {
  for (const finding of findings) {
    const { level, code, place } = finding
    const file = pathIn(process.env['GITHUB_WORKSPACE'], root, place.file)
    const where = file === undefined ? '' : `file=${property(file)},line=${place.line},col=${place.column},`
    const words = findingLine({ ...finding, place: { ...place, file: file ?? place.file } })
    printLine(`::${GITHUB_LEVELS[level]} ${where}title=${property(`hooks check: ${code}`)}::${data(words)}`)
  }
}

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** A report in the format of GitLab's code quality. */
export function printGitlab(findings: readonly Finding[], root: string): void {
  const report = findings.map(finding => {
    const { level, code, place, message, fix } = finding
    const path = pathIn(process.env['CI_PROJECT_DIR'], root, place.file) ?? place.file
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([path, place.key, code, message]))
      .digest('hex')
    const location = { path, lines: { begin: place.line } }
    return {
      description: `${message} (${fix})`,
      check_name: code,
      fingerprint,
      severity: GITLAB_LEVELS[level],
      location
    }
  })
  printLine(safeJson(report, 2))
}

/** Code hosts show an annotation where its path begins at the top of the checkout. */
const pathIn = (top: string | undefined, root: string, file: string): string | undefined =>
  pathFrom(top === undefined || top === '' ? root : realPath(top), file)
