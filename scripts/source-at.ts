/** The sources of another commit, unpacked beside each other in a temporary folder. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Hands over a folder with `src/` as it was at a commit; the folder is removed afterwards. */
export async function withSourceAt<T>(ref: string, use: (root: string) => Promise<T> | T): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), 'carabiner-source-'))
  try {
    const archive = execFileSync('git', ['archive', ref, 'src', 'package.json'], { maxBuffer: 256 * 1024 * 1024 })
    execFileSync('tar', ['-x', '-C', root], { input: archive })
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
    return await use(root)
  } finally {
    rmSync(root, { recursive: true })
  }
}
