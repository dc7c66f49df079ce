import type { PlainObject } from '../util/plain.ts'

/**
 * The language in which a table says what an object may hold, key by key. One table gives the TypeScript type (`Infer`),
 * the check (check.ts) and the JSON Schema (json-schema.ts).
 */
export type FieldTable = Readonly<Record<string, FieldType | FieldRow>>

/** One key of a table. A key whose name ends in `?` may be left out. */
export interface FieldRow {
  readonly type: FieldType
  /** The description in the JSON Schema, and in the advice where the key is missing. */
  readonly words?: string
  /** Replaces what errors derive from the type. */
  readonly expected?: string
  /** Only for keys that end in `?`. */
  readonly default?: string | number | boolean
  /** For strings: one that is empty, or of spaces only, counts as missing. */
  readonly notBlank?: true
  /** Not in the JSON Schema: the key is set by others than those who read the schema. */
  readonly hidden?: true
  /** For lists: of the number of items. So is `max`. */
  readonly min?: number
  readonly max?: number
  readonly above?: number
  readonly below?: number
}

export type FieldType =
  | keyof NamedTypes
  | readonly string[]
  | { readonly list: FieldType }
  | { readonly record: FieldType }
  /** `open`: unknown keys are accepted, unless they resemble a key of the table. */
  | { readonly object: FieldTable; readonly open?: true }
  | OwnType<unknown>

interface NamedTypes {
  string: string
  number: number
  integer: number
  boolean: boolean
  object: PlainObject
  unknown: unknown
}

export interface OwnType<T> {
  readonly expected: string
  fits(value: unknown): value is T
  /** For editors: it is one of these. */
  readonly anyOf?: readonly FieldType[] | undefined
}

export const own = <T>(
  expected: string,
  fits: (value: unknown) => boolean,
  anyOf?: readonly FieldType[]
): OwnType<T> => ({ expected, fits: fits as OwnType<T>['fits'], anyOf })

type ValueOf<T, Absent = never> = T extends { readonly type: infer Inner }
  ? ValueOf<Inner, Absent>
  : T extends keyof NamedTypes
    ? NamedTypes[T]
    : T extends readonly (infer Word)[]
      ? Word
      : T extends { readonly list: infer Item }
        ? readonly ValueOf<Item, Absent>[]
        : T extends { readonly record: infer Value }
          ? Readonly<Record<string, ValueOf<Value, Absent>>>
          : T extends { readonly object: infer Keys }
            ? Infer<Keys, Absent>
            : T extends OwnType<infer Own>
              ? Own
              : never

type NameOf<K> = K extends `${infer Name}?` ? Name : K

/** Keys that must be set, or have a default. */
type PresentIn<T> = {
  [K in keyof T]: K extends `${string}?` ? (T[K] extends { readonly default: unknown } ? K : never) : K
}[keyof T]

/** The object after its check. `Absent`: what optional keys may hold besides. */
export type Infer<T, Absent = never> = Flat<
  { readonly [K in PresentIn<T> as NameOf<K>]: ValueOf<T[K], Absent> } & {
    readonly [K in Exclude<keyof T, PresentIn<T>> as NameOf<K>]?: ValueOf<T[K], Absent> | Absent
  }
>

/** The object before its check: keys with a default may be missing. */
export type InferGiven<T> = Flat<
  { -readonly [K in keyof T as K extends `${string}?` ? never : K]: Writable<ValueOf<T[K]>> } & {
    -readonly [K in keyof T as K extends `${string}?` ? NameOf<K> : never]?: Writable<ValueOf<T[K]>>
  }
>

type Writable<T> = T extends readonly (infer Item)[]
  ? Writable<Item>[]
  : T extends object
    ? { -readonly [K in keyof T]: Writable<T[K]> }
    : T

type Flat<T> = { [K in keyof T]: T[K] }

export type InferOptions<T> = { -readonly [K in keyof T]?: ValueOf<T[K], undefined> | undefined }
