import { hidesCredentials, maskCredentials } from './credentials.ts'
import { withTexts } from './plain.ts'

/** Plain data without the values of credentials, copied only if something is hidden. */
export const maskCredentialsInData = <T>(data: T): T => (hidesCredentials() ? withTexts(data, maskCredentials) : data)
