/**
 * The two meanings of some keys. `library`: hooks written against this package. `contract`: hooks from files and
 * Agent-SDK-style callbacks, whose `continue: true` is neutral, whose `suppressOutput` hides only their own output and
 * whose `systemMessage` is for the user. Nothing after `decode` knows the difference.
 */
export type Dialect = 'library' | 'contract'

/** `strict` closes gates on failure; `compat` does what the contract's reference host does, and marks it. */
export type Profile = 'strict' | 'compat'
