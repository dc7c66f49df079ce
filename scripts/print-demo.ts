/** Prints docs/demo.svg, a picture of `npm run demo`. `--check` only says whether the file is what would be printed. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const PICTURE = new URL('../docs/demo.svg', import.meta.url)
const CLI = new URL('../src/cli.ts', import.meta.url)

/** The scenes that are in the picture; of the others there is the title. */
const SCENES = new Set(['2', '4', '6'])

/** Sizes in pixels. */
const [CHAR, LINE, SIZE, PAD, BAR] = [8.1, 20, 13.5, 20, 36]
const COLUMNS = 80

/** Colours by the number that a terminal is sent; 1 is bold, 2 is dim. */
const CLASSES: Readonly<Record<string, string>> = { 1: 'b', 2: 'd', 31: 'r', 32: 'g', 33: 'y', 36: 'c' }

const STYLE = `text{font:${SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d7dce2;white-space:pre}
.b{font-weight:700;fill:#fff}.d{fill:#8b949e}.r{fill:#ff7b72;font-weight:700}.g{fill:#56d364}.y{fill:#e3b341}.c{fill:#79c0ff}`

/** What the tour prints in a terminal with colours. The numbers of its processes differ from run to run. */
function runDemo(): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI.pathname, 'demo'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], TMPDIR: process.env['TMPDIR'], FORCE_COLOR: '1' }
  })
  if (status !== 0) throw new Error(`the demo failed: ${stderr}`)
  const pids = [...new Set(stdout.match(/(?<=process )\d+/g))]
  return stdout.replaceAll(/(?<=process )\d+/g, pid => String(4001 + pids.indexOf(pid)))
}

// oxlint-disable-next-line no-control-regex
const SEQUENCE = /\u001B\[(\d+)m/

// oxlint-disable-next-line no-control-regex
const TITLE = /^\u001B\[1m((\d)\. .*)\u001B\[22m/

interface Piece {
  readonly column: number
  readonly text: string
  readonly style: string | undefined
}

/** The pieces of a line that have one style each, without the blanks around them. */
function piecesOf(line: string): readonly Piece[] {
  const pieces: Piece[] = []
  let column = 0
  let style: string | undefined
  for (const [index, part] of line.split(SEQUENCE).entries()) {
    if (index % 2 === 1) style = CLASSES[part]
    else {
      const start = part.length - part.trimStart().length
      if (part.trim() !== '') pieces.push({ column: column + start, text: part.trim(), style })
      column += part.length
    }
  }
  return pieces
}

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** The lines of the picture: the command and the scenes. */
function pictureLines(output: string): readonly string[] {
  const scenes = output.split('\n\n').flatMap(scene => {
    const [, title = '', number = ''] = TITLE.exec(scene) ?? []
    return number === '' ? [] : SCENES.has(number) ? [...scene.split('\n'), ''] : [`\u001B[2m${title}\u001B[22m`]
  })
  return ['\u001B[32m$\u001B[39m npm run demo', '', ...scenes.slice(0, -1)]
}

/** The picture of a fresh run. */
export function demoPicture(): string {
  const lines = pictureLines(runDemo())
  const [width, height] = [Math.ceil(COLUMNS * CHAR + 2 * PAD), BAR + lines.length * LINE + PAD]
  const texts = lines.flatMap((line, row) =>
    piecesOf(line).map(({ column, text, style }) => {
      const [x, y] = [(PAD + column * CHAR).toFixed(1), BAR + row * LINE + LINE - 5]
      return `<text x="${x}" y="${y}"${style === undefined ? '' : ` class="${style}"`}>${escapeXml(text)}</text>`
    })
  )
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (colour, index) => `<circle cx="${PAD + index * 20}" cy="18" r="6" fill="${colour}"/>`
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    '<title>npm run demo</title>',
    `<style>${STYLE}</style>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10" fill="#0d1117" stroke="#3d444d"/>`,
    ...dots,
    ...texts,
    '</svg>',
    ''
  ].join('\n')
}

if (import.meta.main) {
  const picture = demoPicture()
  if (!process.argv.includes('--check')) writeFileSync(PICTURE, picture)
  else if (readFileSync(PICTURE, 'utf8') !== picture) {
    console.error('docs/demo.svg is not what the demo prints: run `npm run docs`')
    process.exitCode = 1
  }
}
