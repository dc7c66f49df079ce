/** A number from an environment variable. Anything but a whole number is ignored, with a note. */
export function envNumber(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  note: (text: string) => void
): number | undefined {
  const text = env[name]?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  if (text !== '') note(`${name} is ${JSON.stringify(text)} and is ignored: set it to a whole number, 0 or more`)
  return undefined
}
