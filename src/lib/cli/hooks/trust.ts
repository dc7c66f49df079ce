import type { FlagValues, TRUST_FLAGS } from '../flags.ts'
import { EXIT, describeUntrusted, isCI, saveTrust, loadProjectState } from '../common.ts'
import { printError, printLine } from '../print.ts'
import { printProse } from '../terminal/width.ts'
import { coverageOf } from '../../settings/trust/digest.ts'

type TrustFlags = FlagValues<typeof TRUST_FLAGS>

export function trustProject(flags: TrustFlags): number {
  const { loaded, where, trust: now } = loadProjectState(flags)
  const coverage = coverageOf(loaded)
  if (coverage === undefined) {
    printLine(`the project ${loaded.root} brings nothing that needs trust`)
    return EXIT.done
  }
  if (flags.print === true) {
    printLine(coverage.digest)
    return EXIT.done
  }
  if (flags.folder === true && (isCI() || !process.stdin.isTTY)) {
    printError(
      '--folder trusts all later changes of the project, so it needs a person at a terminal and does not work in CI'
    )
    return EXIT.usage
  }
  if (flags.folder === true && loaded.locks.trustByDigest) {
    printError('managed policy allows trust by digest only')
    return EXIT.badSettings
  }
  for (const line of describeUntrusted(loaded, now)) printProse(line)
  const given = saveTrust({ loaded, where }, flags.folder === true)
  printLine(flags.folder === true ? 'Trusted, including all later changes.' : `Trusted as it is: ${given.digest}`)
  return EXIT.done
}
