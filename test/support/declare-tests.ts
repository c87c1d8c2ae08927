/**
 * Replaces `node:test` where the names of tests are listed (`list-tests.ts`): it calls the bodies of suites, which
 * declare tests, and no body of a test.
 */
const suites: string[] = []
const declared = new Set<string>()

type Rest = readonly unknown[]

export function describe(name: string, ...rest: Rest): void {
  suites.push(name)
  for (const each of rest) if (typeof each === 'function') each()
  suites.pop()
}

export function it(name: string): void {
  // A suite that runs on each engine is one suite.
  const path = [...suites.map((suite) => suite.replace(/, on (sqlite|postgres|Citus)$/, '')), name]
  declared.add(path.join(' > '))
}

export const test = it

export function after(): void {}
export const afterEach = after
export const before = after

/** The names that were declared since the last call. */
export function takeNames(): readonly string[] {
  const names = [...declared]
  declared.clear()
  return names
}
