/**
 * What each tool takes, so that `ctx.toolInput` is typed by a literal matcher. Add your own tools:
 *
 *     declare module 'carabiner/hooks' {
 *       interface ToolInputs { Deploy: { target: string } }
 *     }
 */
export interface ToolInputs {
  Bash: { command: string; description?: string; timeout?: number; run_in_background?: boolean }
  Read: { file_path: string; offset?: number; limit?: number }
  Write: { file_path: string; content: string }
  Edit: { file_path: string; old_string: string; new_string: string; replace_all?: boolean }
  Glob: { pattern: string; path?: string }
  Grep: { pattern: string; path?: string; glob?: string; output_mode?: 'content' | 'files_with_matches' | 'count' }
  Agent: { description: string; prompt: string; subagent_type?: string; run_in_background?: boolean; resume?: string }
  WebFetch: { url: string; prompt: string }
}

/** A name, names joined by `|` or `,`, a glob, a regular expression, or a list of these. Empty or `*`: all. */
export type Matcher = string | RegExp | readonly (string | RegExp)[]

type Trim<S extends string> = S extends ` ${infer T}` ? Trim<T> : S extends `${infer T} ` ? Trim<T> : S

type NamesIn<S extends string> = S extends `${infer A}|${infer B}`
  ? NamesIn<A> | NamesIn<B>
  : S extends `${infer A},${infer B}`
    ? NamesIn<A> | NamesIn<B>
    : Trim<S>

type InputOfTool<Name> = Name extends keyof ToolInputs ? ToolInputs[Name] : Record<string, unknown>

/** The input that a hook with matcher `M` sees: of a tool, a union of tools, or any object. */
export type ToolInputFor<M> = M extends string
  ? InputOfTool<NamesIn<M>>
  : M extends readonly (infer Item)[]
    ? ToolInputFor<Item>
    : Record<string, unknown>

/** The names that a literal matcher lists; any string where it is a pattern. */
export type ToolNameFor<M> = M extends string
  ? NamesIn<M> extends keyof ToolInputs
    ? NamesIn<M>
    : string
  : M extends readonly (infer Item)[]
    ? ToolNameFor<Item>
    : string
