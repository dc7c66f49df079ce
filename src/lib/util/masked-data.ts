import { isPlain, withTexts } from './plain.ts'
import { maskSecrets, mayHoldSecret } from './secrets.ts'

/** Deeper data, and data that contains itself, is left to `withTexts`. */
const DEEPEST = 32

/** Masks secrets in plain data, which is copied only if something is hidden. */
export const maskSecretsInData = <T>(data: T): T => (mayNeedMask(data, 0) ? withTexts(data, maskSecrets) : data)

/** A quick first look, at every message: nearly all of them have no secret. */
function mayNeedMask(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return mayHoldSecret(value)
  if (typeof value !== 'object' || value === null) return false
  if (depth > DEEPEST) return true
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) if (mayNeedMask(value[at], depth + 1)) return true
    return false
  }
  if (!isPlain(value)) return false
  for (const key in value) {
    const item = value[key]
    // Most fields are texts and numbers: they need no further call.
    if (typeof item === 'string' ? mayHoldSecret(item) : typeof item === 'object' && mayNeedMask(item, depth + 1))
      return true
  }
  return false
}
