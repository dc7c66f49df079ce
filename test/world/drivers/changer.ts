/** Adds numbers to a list in a file, one by one, when it is told to begin. */
import { changeOwnFile } from '../../../src/lib/world/own-file.ts'

const [path, name, times] = process.argv.slice(2)
process.stdin.once('data', () => {
  for (let time = 0; time < Number(times); time++)
    changeOwnFile(path!, text => JSON.stringify([...(JSON.parse(text ?? '[]') as string[]), `${name}.${time}`]))
  process.exit()
})
process.stdout.write('ready')
