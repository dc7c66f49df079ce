/** Reads a file, begins to change it, and dies before it changes the file system for the Nth time, or half-way through `writev`. */
import { dirname } from 'node:path'
import { editTool } from '../../../../src/lib/tools/files/edit.ts'
import { readTool } from '../../../../src/lib/tools/files/read.ts'
import { writeTool } from '../../../../src/lib/tools/files/write.ts'
import { untouched, withWatchedFs } from '../faulty-fs.ts'
import { makeCall, makeSession } from '../../tool-session.ts'

const [name, json, moment] = process.argv.slice(2)
const input = JSON.parse(json!) as { file_path: string }
const session = makeSession(dirname(input.file_path))
const call = makeCall(session)
const tool = name === 'Edit' ? editTool : writeTool
if (untouched.existsSync(input.file_path)) await readTool.run({ file_path: input.file_path }, call)

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => undefined)
}

/** Reads in between make no difference to what is left. */
const CHANGES = new Set(['mkdir', 'writev', 'chown', 'chmod', 'sync', 'linkSync', 'renameSync', 'unlinkSync'])

let count = 0
try {
  await withWatchedFs(
    (made, make, args) => {
      const isChange = CHANGES.has(made) || (made === 'open' && args[1] === 'wx')
      if (made === moment) return Promise.resolve(make([(args[0] as Buffer[])[0]!.subarray(0, 1)])).then(die)
      return isChange && String(count++) === moment ? die() : make()
    },
    async () => tool.run({ replace_all: false, ...input }, call)
  )
} catch (error) {
  process.stderr.write(String(error))
  process.exitCode = 1
}
