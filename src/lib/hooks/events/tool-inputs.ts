import type { BuiltInToolInputs } from '../../tool-table.ts'

/**
 * What each tool takes, so that `ctx.toolInput` is typed by a literal matcher. Add your own tools:
 *
 *     declare module 'carabiner/hooks' {
 *       interface ToolInputs { Deploy: { target: string } }
 *     }
 */
export interface ToolInputs extends BuiltInToolInputs {}

/** The output of each tool, so that `ctx.toolResponse` is typed by a literal matcher. Add your own tools. */
export interface ToolOutputs {
  Bash: { stdout: string; stderr: string; interrupted: boolean; isImage: boolean; backgroundTaskId?: string }
  Read:
    | {
        type: 'text'
        file: { filePath: string; content: string; numLines: number; startLine: number; totalLines: number }
      }
    | { type: 'image'; file: { base64: string; type: string; originalSize: number } }
  Write: { type: 'create' | 'update'; filePath: string; content: string; originalFile: string | null }
  Edit: { filePath: string; oldString: string; newString: string; originalFile: string | null; replaceAll: boolean }
  Glob: { filenames: string[]; numFiles: number; truncated: boolean }
  Grep: { mode: 'content' | 'files_with_matches' | 'count'; filenames: string[]; numFiles: number; content?: string }
}

/** A name, names joined by `|` or `,`, a glob, a regular expression, or a list of these. Empty or `*`: all. */
export type Matcher = string | RegExp | readonly (string | RegExp)[]

type Trim<S extends string> = S extends ` ${infer T}` ? Trim<T> : S extends `${infer T} ` ? Trim<T> : S

type NamesIn<S extends string> = S extends `${infer A}|${infer B}`
  ? NamesIn<A> | NamesIn<B>
  : S extends `${infer A},${infer B}`
    ? NamesIn<A> | NamesIn<B>
    : Trim<S>

/** The type of `ctx.toolResponse` with matcher `M`: of a tool, a union of tools, or anything. */
export type ToolOutputFor<M> = ToolNameFor<M> extends keyof ToolOutputs ? ToolOutputs[ToolNameFor<M>] : unknown

type InputOfTool<Name> = Name extends keyof ToolInputs ? ToolInputs[Name] : Record<string, unknown>

/** The input that a hook with matcher `M` sees: of a tool, a union of tools, or any object. */
export type ToolInputFor<M> = M extends string
  ? InputOfTool<NamesIn<M>>
  : M extends readonly (infer Item)[]
    ? ToolInputFor<Item>
    : Record<string, unknown>

/** The names that a literal matcher lists; any string if it is a pattern. */
export type ToolNameFor<M> = M extends string
  ? NamesIn<M> extends keyof ToolInputs
    ? NamesIn<M>
    : string
  : M extends readonly (infer Item)[]
    ? ToolNameFor<Item>
    : string
