/** A place outside Node's own modules. V8 says `at f (place)` or `at place`, others say `f@place`. */
const PLACE = /^(?!.*\bnode:)(?:\s*at (?:.*? \()?(?:async )?|.*@)(?:file:\/\/)?(.+?:\d+:\d+)\)?$/m

/** The first place that a stack names: `path/file.ts:12:3`. */
export const placeIn = (stack = ''): string | undefined => PLACE.exec(stack)?.[1]

/** Where an error was thrown. Its message may contain places, too: they are not read. */
export function thrownAt(error: unknown): string | undefined {
  try {
    const { stack, message } = error as Error
    return placeIn(stack?.replace(message, ''))
  } catch {
    // Anything can be thrown, also what has no stack or one that throws.
    return undefined
  }
}
