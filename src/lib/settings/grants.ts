import type { Document } from './document.ts'
import { KeyReader } from './keys.ts'
import type { Loaded, LoadedRule } from './loaded.ts'
import { OF_PROJECT, type Scope } from './sources.ts'

/** Modes that a project may choose: none of them lets more pass than the usual one. */
const TIGHT = ['default', 'plan', 'dontAsk']

/** What settings say of permissions, folders and variables. Later files win where only one can. */
export class Grants {
  readonly #rules: LoadedRule[] = []
  readonly #directories: string[] = []
  readonly #env: Record<string, string> = {}
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
    if (!ofProject || TIGHT.includes(mode)) this.#mode = mode
    else
      document.findings.add(
        'warning',
        'project-bypass',
        ['permissions', 'defaultMode'],
        mode.startsWith('bypass')
          ? 'a project cannot switch permissions off; this is ignored'
          : `a project cannot let more pass by the mode ${mode}; this is ignored`,
        'set it in your own settings, if you mean it'
      )
  }

  #readEnv(document: Document): void {
    const env = new KeyReader(document, ['env'])
    for (const name of Object.keys(new KeyReader(document).object('env') ?? {})) {
      const value = env.text(name)
      if (value !== undefined) this.#env[name] = value
    }
  }

  result(): Pick<Loaded, 'rules' | 'mode' | 'directories' | 'env'> {
    return { rules: this.#rules, mode: this.#mode, directories: this.#directories, env: this.#env }
  }
}
