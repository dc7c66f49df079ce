/** Tools that look at files. `Read(…)` speaks of all of them. */
export const READERS: readonly string[] = ['Read', 'Glob', 'Grep', 'LS', 'NotebookRead']
/** Tools that look through folders. */
export const SEARCHERS: readonly string[] = ['Glob', 'Grep', 'LS']
/** Tools that change files. `Edit(…)` speaks of all of them. */
export const WRITERS: readonly string[] = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit']
