/** Tools that were renamed: what was written for the old name still means the tool. */
export const RENAMED: ReadonlyMap<string, string> = new Map([
  ['Task', 'Agent'],
  ['KillShell', 'TaskStop'],
  ['KillBash', 'TaskStop']
])
