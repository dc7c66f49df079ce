/** Adds numbers to a list in a file, one by one, after a start signal; or stays in the middle of a change. */
import { writeSync } from 'node:fs'
import { changeOwnFile } from '../../../../src/lib/world/lock/lock.ts'

const [path, name, times] = process.argv.slice(2)

function stay(): string {
  writeSync(1, 'here')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  return ''
}

process.stdin.once('data', () => {
  if (name === 'stays') changeOwnFile(path!, stay)
  for (let time = 0; time < Number(times); time++)
    changeOwnFile(path!, text => JSON.stringify([...(JSON.parse(text ?? '[]') as string[]), `${name}.${time}`]))
  process.exit()
})
process.stdout.write('ready')
