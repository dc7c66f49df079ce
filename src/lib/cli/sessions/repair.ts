import type { FlagValues, REPAIR_FLAGS } from '../flags.ts'
import { basename } from 'node:path'
import { fault } from '../../faults.ts'
import { holderText } from '../../transcript/jsonl.ts'
import { lock } from '../../world/lock/lock.ts'
import { repairFile, type Repair } from '../../transcript/repair.ts'
import { signaturesIn } from '../../query/session-choice.ts'
import { EXIT, settingsPlaces } from '../common.ts'
import { counted, escapeLine, safeJson, printLine } from '../print.ts'
import { gapText } from '../../transcript/load.ts'
import { agentFiles, findSession } from './session-lookup.ts'

type RepairFlags = FlagValues<typeof REPAIR_FLAGS>

export async function repairSession(name: string, flags: RepairFlags): Promise<number> {
  const found = findSession(name, flags)
  const signatures = signaturesIn(settingsPlaces(flags.cwd).ownHome)
  const locked = await lock(found.path, () => 'repairing its transcript')
  if ('holder' in locked) throw fault('E_SESSION_BUSY', found.id, holderText(locked.holder))
  try {
    const done: ({ readonly path: string } & Repair)[] = []
    for (const file of [found, ...agentFiles(found)]) {
      const { key, path } = file
      // The entries get other numbers, which no one has signed.
      const beforeReplacing = (): void => key && signatures.forget(key)
      const repaired = await repairFile(path, { key, isTrial: flags.dryRun, beforeReplacing })
      if (repaired !== undefined) done.push({ path: file.path, ...repaired })
    }
    if (flags.json === true) printLine(safeJson({ dryRun: flags.dryRun === true, files: done }, 2))
    else print(done, flags)
  } finally {
    await locked.release()
  }
  return EXIT.done
}

function print(done: readonly ({ readonly path: string } & Repair)[], { dryRun }: RepairFlags): void {
  if (done.length === 0) printLine('there is nothing to repair; nothing was changed')
  for (const { path, entries, leftOut, original } of done) {
    printLine(escapeLine(path))
    printLine(`  ${counted(entries, 'entry')} ${dryRun === true ? 'would be' : 'are'} kept; left out:`)
    for (const gap of leftOut) printLine(`  ${gapText(gap)}`)
    printLine(dryRun === true ? '  nothing was changed' : `  the original is ${escapeLine(basename(original))}`)
  }
}
