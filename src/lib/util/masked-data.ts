import { withTexts } from './plain.ts'
import { maskSecrets } from './secrets.ts'

/** Masks secrets in plain data, which is copied only if something is hidden. */
export const maskSecretsInData = <T>(data: T): T => withTexts(data, maskSecrets)
