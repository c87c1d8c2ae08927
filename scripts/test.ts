import { globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { initializeCluster, makePostgres } from '../test/support/postgres.ts'
import { bundleTypebox } from './bundle-typebox.ts'
import {
  buildForTests,
  formatImports,
  listOthers,
  makeRunFolder,
  runTests,
  writeGroups,
} from './test-run.ts'

/**
 * Runs the given files, or all tests, against the command as published, with one PostgreSQL server for the whole run.
 * It fails if the server cannot start: no test is skipped.
 */
const given = process.argv.slice(2)

/**
 * Tests that run in one process per group, because loading the code takes longer than most of these files. They must
 * not depend on the state of their process. The groups that take longest start first.
 */
const groups = [
  ['test/auth/*.test.ts', 'test/catalogue/*.test.ts'],
  ['test/storage/*.test.ts', 'test/intake/*.test.ts', 'test/observe/*.test.ts'],
  ['src/**/*.test.ts', 'test/http/*.test.ts'],
  ['test/load/[i-z]*.test.ts'],
  ['test/serve/[p-z]*.test.ts', 'test/*.test.ts'],
  ['test/consent/*.test.ts'],
  ['test/load/[a-h]*.test.ts'],
  ['test/postgres/*.test.ts'],
  ['test/serve/[a-o]*.test.ts'],
  ['test/guard/*.test.ts', 'test/source/*.test.ts', 'test/explorer/*.test.ts'],
  ['test/check/*.test.ts', 'test/client/*.test.ts', 'test/console/*.test.ts'],
]

/**
 * The tests that open a provider in their own process run again with each of these in place of its store: a service behind
 * a guard, and a source. See test/support/variant.ts.
 */
const variants = ['guard', 'source']
const providerTests = ['test/auth/*.test.ts', 'test/http/*.test.ts']
const opensProvider = /\b(open|shared)(Token)?Provider\(/

/** Commands of their own run these: `npm run test:system` and `npm run check`. */
const separate = ['test/system/**', 'test/tidy.test.ts', 'test/interface-sentences.test.ts']

/** More than the number of cores, because many tests wait for processes or for the disk. */
const concurrency = 4

const folder = makeRunFolder()
const [program, typebox, cluster] = await Promise.all([
  buildForTests(folder),
  bundleTypebox(join(folder, 'typebox')),
  initializeCluster(),
])
const files = given.length > 0 ? given : listFiles()

process.env['POSTGRES_CLUSTER_FOR_TESTS'] = cluster
// Hundreds of short-lived databases would otherwise keep autovacuum busy.
const server = await makePostgres({ settings: { autovacuum: 'off' } })
await server.start()
// With the default size of the young generation, collections take 6 % more CPU time.
const flags = [
  ...['--import', typebox, '--import', join(import.meta.dirname, 'untracked-promises.ts')],
  ...[`--test-concurrency=${concurrency}`, '--max-semi-space-size=64'],
]
process.exitCode = await runTests(program, flags, files, { POSTGRES_FOR_TESTS: server.url() })
await server.remove()
rmSync(folder, { recursive: true, force: true })

/** One file for each group and for each variant, and the files of no group. */
function listFiles(): string[] {
  const grouped = groups.map((patterns) => globSync(patterns, { exclude: separate }).sort())
  const all = globSync('test/**/*.test.ts', { exclude: ['**/node_modules/**', ...separate] })
  const texts = [...grouped.map(formatImports), ...formatVariants()]
  return [...writeGroups(folder, texts), ...listOthers(grouped, all)]
}

function formatVariants(): string[] {
  const again = globSync(providerTests)
    .sort()
    .filter((file) => opensProvider.test(readFileSync(file, 'utf8')))
  return variants.map((variant) => {
    const selection = `data:text/javascript,process.env.PROVIDER_FOR_TESTS="${variant}"`
    return `import ${JSON.stringify(selection)}\n${formatImports(again)}`
  })
}
