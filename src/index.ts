/** `carabiner`: what most programs need, from one place. */
export * from './hooks.ts'
