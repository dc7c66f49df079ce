/** What keys of the known providers look like, and what follows the words that announce one. */
const KEYS =
  /\b(?:sk|pk|rk|xai|gsk|key|tok)-[\w-]{8,}|\bAIza[\w-]{20,}|\b(?:Bearer|Basic)\s+[\w.~+/-]{8,}=*|(?<=:\/\/)[^\s/@:]+:[^\s/@]+(?=@)/gi

/** The text without keys: those that are known here, and whatever looks like one. */
export function masked(text: string, secrets: readonly string[]): string {
  let out = text
  for (const secret of secrets) if (secret.length >= 4) out = out.replaceAll(secret, '***')
  return out.replaceAll(KEYS, '***')
}
