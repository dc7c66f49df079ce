import type { Document } from './document.ts'
import { KeyReader } from './keys.ts'
import type { Loaded, LoadedRule } from './loaded.ts'
import { OF_PROJECT, type Scope } from './sources.ts'

/** Modes that a project may choose: none of them lets more pass than the usual one. */
const TIGHT = new Set(['default', 'plan', 'dontAsk'])

/** What settings say of permissions, folders and variables. Later files win where only one can. */
export class Grants {
  readonly #rules: LoadedRule[] = []
  readonly #directories: string[] = []
  readonly #env = new Map<string, string>()
  #mode: string | undefined

  /** Whether managed policy forbids the mode in which nobody is asked. */
  read(document: Document, scope: Scope): boolean {
    const reader = new KeyReader(document, ['permissions'])
    for (const behaviour of ['allow', 'deny', 'ask'] as const) {
      reader.texts(behaviour)?.forEach((rule, index) => {
        const place = document.findings.place(['permissions', behaviour, index])
        this.#rules.push({ behaviour, rule, scope, place })
      })
    }
    const ofProject = OF_PROJECT.includes(scope)
    this.#readMode(reader.text('defaultMode'), ofProject, document)
    // What a project calls its own is no reason to let it have it, and its variables could point anywhere.
    if (!ofProject) {
      this.#directories.push(...(reader.texts('additionalDirectories') ?? []))
      this.#readEnv(document)
    }
    return scope === 'managed' && reader.text('disableBypassPermissionsMode') === 'disable'
  }

  #readMode(mode: string | undefined, ofProject: boolean, document: Document): void {
    if (mode === undefined) return
    if (!ofProject || TIGHT.has(mode)) this.#mode = mode
    else if (mode.startsWith('bypass'))
      document.findings.add(
        'warning',
        'project-bypass',
        ['permissions', 'defaultMode'],
        'a project cannot switch permissions off; this is ignored',
        'set it in your own settings, if you mean it'
      )
    else
      document.findings.add(
        'info',
        'project-mode',
        ['permissions', 'defaultMode'],
        `a project cannot let more pass by the mode ${mode}; this is ignored`,
        'set it in your own settings, if you mean it'
      )
  }

  #readEnv(document: Document): void {
    for (const [name, value] of Object.entries(new KeyReader(document).object('env') ?? {})) {
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        this.#env.set(name, String(value))
      else document.findings.add('warning', 'key-type', ['env', name], `${name} is no text`, 'give a text')
    }
  }

  result(): Pick<Loaded, 'rules' | 'mode' | 'directories' | 'env'> {
    return { rules: this.#rules, mode: this.#mode, directories: this.#directories, env: Object.fromEntries(this.#env) }
  }
}
