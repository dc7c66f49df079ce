/** Runs hooks in a process of their own, where memory can be measured and the end be waited for. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Outcome } from '../../../../src/hooks.ts'

const DRIVER = fileURLToPath(new URL('drivers/http.ts', import.meta.url))

/** What the process printed before it ended by itself. */
interface Driven {
  readonly outcome: Pick<Outcome, 'decision' | 'reason' | 'failures'>
  /** Kilobytes: before the event, and at most. */
  readonly base: number
  readonly peak: number
}

/** Generous: a process that does not end by itself is the failure that this finds. */
const LIMIT = 30_000

interface Driving {
  readonly env?: Readonly<Record<string, string>>
  /** When it is to cut off what it has begun. */
  readonly cut?: Promise<unknown>
}

export function driveHttp(
  how: 'ask' | 'again' | 'abort' | 'close',
  url: string,
  { env, cut }: Driving = {}
): Promise<Driven> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, timeout: LIMIT }
    const { stdin } = execFile(process.execPath, [DRIVER, how, url], options, (error, stdout, stderr) => {
      if (error !== null) reject(new Error(`the driver ended badly: ${stdout}${stderr}`, { cause: error }))
      else resolve(JSON.parse(stdout) as Driven)
    })
    void Promise.resolve(cut).then(() => stdin!.end('now'))
  })
}

const OPENSSL = 'openssl'

function hasOpenssl(): boolean {
  try {
    execFileSync(OPENSSL, ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

interface Signed {
  readonly key: string
  readonly cert: string
  readonly file: string
}

/** Makes a certificate for localhost that only itself has signed. Not everywhere is there a program for it. */
export const whoSigns = hasOpenssl() ? sign : undefined

function sign(): Signed {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'
  const args = [...words.split(' '), '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', cert]
  execFileSync(OPENSSL, args, { stdio: 'ignore' })
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8'), file: cert }
}
