/** Whether a word may make awk run something. If a quote may be part of a pattern, strings cannot be delimited. */
export function awkRuns(word: string): boolean {
  if (/^(?:-[eEl]|--(?:exe|l|so))|system|getline|@\s*[A-Za-z_]/.test(word)) return true
  if (!word.includes('|') || !word.includes('print')) return false
  if (word.includes('/') && word.includes('"')) return true
  const bare = word.replaceAll(/"(?:\\.|[^"\\])*"/gs, '')
  const at = bare.indexOf('print')
  return at !== -1 && bare.slice(at).replaceAll('||', '').includes('|')
}
