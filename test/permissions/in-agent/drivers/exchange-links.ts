/** Exchanges files and folders in this folder for links to denied ones and back, until its input ends. */
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'

process.chdir(process.argv[2]!)
const replace = (path: string, make: (temporary: string) => void): void => {
  make('.next')
  renameSync('.next', path)
}

mkdirSync('tree/folder', { recursive: true })
mkdirSync('folder')
for (const folder of ['folder', 'tree/folder']) writeFileSync(`${folder}/k`, 'visible common\n')

let rounds = 0
process.stdin.resume().on('end', () => {
  process.stdout.write(String(rounds), () => process.exit())
})

function exchange(): void {
  for (let times = 0; times < 5; times++, rounds++) {
    for (const top of ['', 'tree/']) {
      replace(`${top}plain`, path => writeFileSync(path, 'visible common\n'))
      replace(`${top}plain`, path => symlinkSync(`${process.cwd()}/secrets/k`, path))
      replace(`${top}plain`, path => writeFileSync(path, 'visible common\n'))
      replace(`${top}plain`, path => linkSync('secrets/k', path))
      renameSync(`${top}folder`, '.away')
      symlinkSync(`${process.cwd()}/secrets`, `${top}folder`)
      rmSync(`${top}folder`)
      renameSync('.away', `${top}folder`)
    }
  }
  setImmediate(exchange)
}
exchange()
