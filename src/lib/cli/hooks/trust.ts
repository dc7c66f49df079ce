import { EXIT, describeUntrusted, isCI, keepTrust, look, type CommonFlags } from '../common.ts'
import { complain, say } from '../print.ts'
import { coverageOf } from '../../settings/trust/digest.ts'

export interface TrustFlags extends CommonFlags {
  print?: boolean
  folder?: boolean
}

/** `carabiner hooks trust`: from now on what the project brings, exactly as it is, applies. */
export function trust(flags: TrustFlags): number {
  const { loaded, where, trust: now } = look(flags)
  const coverage = coverageOf(loaded)
  if (coverage === undefined) {
    say(`the project ${loaded.root} brings nothing that needs trust`)
    return EXIT.done
  }
  if (flags.print === true) {
    say(coverage.digest)
    return EXIT.done
  }
  if (flags.folder === true && (isCI() || !process.stdin.isTTY)) {
    complain(
      '--folder trusts all later changes of the project, so it needs a person at a terminal and does not work in CI'
    )
    return EXIT.usage
  }
  if (flags.folder === true && loaded.locks.trustByDigest) {
    complain('managed policy allows trust by digest only')
    return EXIT.badSettings
  }
  for (const line of describeUntrusted(loaded, now)) say(line)
  const given = keepTrust({ loaded, where }, flags.folder === true)
  say(flags.folder === true ? 'Trusted, including all later changes.' : `Trusted as it is: ${given.digest}`)
  return EXIT.done
}
