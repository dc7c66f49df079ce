import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProgram } from './program.ts'

/** The built package of another commit. */
export interface BuiltTree {
  readonly dist: string
  remove(): Promise<void>
}

/** A commit is built in a temporary worktree. A folder that has a `dist` is taken as it is. */
export async function buildTree(root: string, ref: string, signal: AbortSignal): Promise<BuiltTree> {
  if (existsSync(join(ref, 'dist'))) return { dist: join(ref, 'dist'), remove: async () => undefined }
  const commit = (await runProgram('git', ['rev-parse', '--verify', `${ref}^{commit}`], { cwd: root })).trim()
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-'))
  const tree = join(folder, 'tree')
  const remove = async (): Promise<void> => {
    rmSync(folder, { recursive: true, force: true })
    await runProgram('git', ['worktree', 'prune'], { cwd: root })
  }
  try {
    await runProgram('git', ['worktree', 'add', '--detach', tree, commit], { cwd: root, signal })
    if (textOf(root) === textOf(tree)) symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
    else await runProgram('npm', ['ci', '--no-audit', '--no-fund'], { cwd: tree, signal })
    await runProgram('npm', ['run', 'build', '--silent'], { cwd: tree, signal })
    return { dist: join(tree, 'dist'), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** The same packages need no second installation. */
const textOf = (tree: string): string => {
  const file = join(tree, 'package-lock.json')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
