import { globOf } from '../util/names.ts'

type Words = readonly (string | undefined)[]

/**
 * For a rule that has these words behind its program: whether a command has the same, in this order, with options among
 * them. Each option may take the word behind it as its value, so that `kubectl -n prod delete` is near `kubectl delete`,
 * and `git log push` is not near `git push`. What nobody knows yet may be anything. `open`: anything may stand before.
 */
export function leadTo(rule: readonly string[], open: boolean): (words: Words) => boolean {
  const steps = rule.filter(word => word !== '*').map(word => globOf(word))
  const isOpen = opensOf(rule, open)
  return words => {
    // How many of the steps may have been taken; and those between which an option stood.
    let [taken, around] = [new Set([0]), new Set<number>()]
    let afterOption = false
    for (const word of words) {
      if (word === undefined) return taken.size + around.size > 0
      if (word.startsWith('-')) {
        for (const step of taken) if (step < steps.length) around.add(step)
        taken = new Set(taken.has(steps.length) ? [steps.length] : [])
      } else {
        const next = (from: ReadonlySet<number>): Set<number> =>
          new Set(
            Array.from(from).flatMap(step => [
              ...(steps[step]?.(word) === true ? [step + 1] : []),
              ...(afterOption || isOpen[step] === true ? [step] : [])
            ])
          )
        ;[taken, around] = [next(taken), next(around)]
      }
      afterOption = word.startsWith('-')
    }
    return around.has(steps.length)
  }
}

/** Whether anything may stand before each of the steps, and behind the last. */
function opensOf(rule: readonly string[], open: boolean): readonly boolean[] {
  const opens: boolean[] = []
  let isOpen = open
  for (const word of rule) {
    if (word !== '*') opens.push(isOpen)
    isOpen = word.includes('*')
  }
  return [...opens, isOpen]
}
