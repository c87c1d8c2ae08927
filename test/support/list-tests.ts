import { registerHooks } from 'node:module'
import { takeNames } from './declare-tests.ts'

const root = new URL('../../', import.meta.url)
const replacement = new URL('declare-tests.ts', import.meta.url).href

/**
 * The tests of each file, as `suite > test`, composed names included. It imports the files and runs no test. The
 * caller must not have imported a module that declares tests, such as `engines.ts`, itself.
 */
export async function listTests(
  paths: Iterable<string>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'node:test'
        ? { url: replacement, shortCircuit: true }
        : next(specifier, context),
  })
  const tests = new Map<string, readonly string[]>()
  for (const path of paths) {
    await import(new URL(path, root).href)
    tests.set(path, takeNames())
  }
  hooks.deregister()
  return tests
}
