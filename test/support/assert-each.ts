import assert from 'node:assert/strict'

export type NamedCase = readonly [name: string, check: () => unknown]

/** Runs every case of a table and reports all failures together, each with its name. */
export async function assertEach(cases: Iterable<NamedCase>): Promise<void> {
  const failures: string[] = []
  let count = 0
  for (const [name, check] of cases) {
    count += 1
    try {
      await check()
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  assert.ok(count > 0, 'the table has no cases')
  if (failures.length > 0) {
    assert.fail(`${failures.length} of ${count} cases failed:\n${failures.join('\n')}`)
  }
}
