import { fileURLToPath } from 'node:url'

/** The path of a file in test/fixtures/. */
export const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))
