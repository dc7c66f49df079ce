import type { Tool } from '../../tools/tool.ts'
import type { Entry } from '../../transcript/entry.ts'
import type { PlainObject } from '../../util/plain.ts'
import { attempt } from '../../util/attempt.ts'

/** What hooks and tools store between calls, as it was last written to the transcript. */
export class KeptState {
  readonly #tools: readonly Tool[]
  #metadata = '{}'
  #memory = '{}'

  constructor(tools: ReadonlyMap<string, Tool>) {
    this.#tools = [...tools.values()].filter(({ memory }) => memory !== undefined)
  }

  get written(): { readonly metadata: PlainObject; readonly memory: PlainObject } {
    return { metadata: JSON.parse(this.#metadata) as PlainObject, memory: JSON.parse(this.#memory) as PlainObject }
  }

  isWritten({ metadata, memory }: { readonly metadata: PlainObject; readonly memory: PlainObject }): void {
    this.#metadata = writable(metadata)
    this.#memory = writable(memory)
  }

  forgetMetadata(): void {
    this.#metadata = '{}'
  }

  changes(metadata: Readonly<Record<string, unknown>>): readonly Entry[] {
    const [before, remembered] = [this.#metadata, this.#memory]
    this.#metadata = writable(metadata)
    this.#memory = writable(memoryOf(this.#tools))
    const isSame = before === this.#metadata
    const isRemembered = remembered === this.#memory
    if (isSame && isRemembered) return []
    const kept = this.written
    return [
      ...(isSame ? [] : [{ ...SYSTEM, subtype: 'metadata', metadata: kept.metadata }]),
      ...(isRemembered ? [] : [{ ...SYSTEM, subtype: 'tool_memory', memory: kept.memory }])
    ]
  }
}

const SYSTEM = { type: 'system' } as const

function memoryOf(tools: readonly Tool[]): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const { name, memory } of tools) {
    const value = memory?.read()
    if (value !== undefined) kept[name] = value
  }
  return kept
}

/** Hooks may store anything; values that JSON cannot represent are not written. */
function writable(metadata: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(metadata)
  } catch {
    const kept = Object.entries(metadata).filter(([, value]) => attempt(() => JSON.stringify(value)) !== undefined)
    return JSON.stringify(Object.fromEntries(kept))
  }
}
