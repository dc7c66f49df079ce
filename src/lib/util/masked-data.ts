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
  if (Array.isArray(value)) return value.some(item => mayNeedMask(item, depth + 1))
  if (!isPlain(value)) return false
  for (const key in value) if (mayNeedMask(value[key], depth + 1)) return true
  return false
}
