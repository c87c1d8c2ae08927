import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { installCitus, startCluster } from '../test/support/citus-cluster.ts'
import { bundleTypebox } from './bundle-typebox.ts'
import { buildForTests, formatImports, makeRunFolder, runTests, writeGroups } from './test-run.ts'

/**
 * Runs the given files, or the suites of storage, loads, feeds and servers, with the layout `citus`: on the cluster of
 * CITUS_FOR_TESTS, or on one that it starts with the programs in CITUS_HOME. It reports if there are none for this
 * machine, and then succeeds.
 */
const given = process.argv.slice(2)

/** Each group is a process that creates databases of its own, which takes seconds. */
const groups = [
  ['test/load/*.test.ts'],
  ['test/storage/*.test.ts', 'test/intake/*.test.ts'],
  ['test/serve/*.test.ts', 'test/postgres/roles.test.ts'],
]

/** These start clusters of their own. */
const withOwnCluster = ['test/**/*.citus.ts']

const dataNodes = 2

const folder = makeRunFolder()
const existing = process.env['CITUS_FOR_TESTS']
const reason = existing === undefined ? findReasonToSkip() : undefined
if (reason === undefined) process.exitCode = await run()
else process.stdout.write(`SKIPPED  the tests on Citus: ${reason}\n`)
rmSync(folder, { recursive: true, force: true })

/** Installs the programs. */
function findReasonToSkip(): string | undefined {
  try {
    process.env['CITUS_HOME'] = installCitus()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

async function run(): Promise<number> {
  const [program, typebox, cluster] = await Promise.all([
    buildForTests(folder),
    bundleTypebox(join(folder, 'typebox')),
    existing === undefined ? startCluster(dataNodes) : undefined,
  ])
  const flags = [
    ...['--import', typebox, '--import', join(import.meta.dirname, 'end-tracking.ts')],
    ...['--test-name-pattern', ', on Citus', `--test-concurrency=${groups.length}`],
  ]
  const url = cluster?.url ?? existing ?? ''
  const status = await runTests(program, flags, listFiles(cluster !== undefined), {
    CITUS_FOR_TESTS: url,
  })
  await cluster?.remove()
  return status
}

function listFiles(mayStartClusters: boolean): string[] {
  if (given.length > 0) return given
  const texts = groups.map((patterns) => formatImports(globSync(patterns).sort()))
  return [...writeGroups(folder, texts), ...(mayStartClusters ? globSync(withOwnCluster) : [])]
}
