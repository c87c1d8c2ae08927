import { globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
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
 * It fails if the server cannot start: no test is skipped. With `--with-system`, it also runs the tests of the whole
 * product.
 */
const { values: options, positionals: given } = parseArgs({
  options: { 'with-system': { type: 'boolean', default: false } },
  allowPositionals: true,
})

/** These collect garbage to measure memory, which takes seconds with the objects of many other tests. */
const collecting = ['src/auth/token-bucket.test.ts', 'src/intake/follow/position.test.ts']

/**
 * Tests that run in one process per group, because loading the code takes longer than most of these files. They must
 * not depend on the state of their process. The groups that take longest start first, with those that mostly wait for
 * processes and timers between them.
 */
const groups = [
  ['test/consent/*.test.ts'],
  ['test/auth/*.test.ts', 'test/catalogue/*.test.ts'],
  ['test/serve/[p-z]*.test.ts', 'test/*.test.ts'],
  ['src/**/*.test.ts', 'test/http/*.test.ts'],
  ['test/serve/[a-o]*.test.ts'],
  ['test/load/[a-h]*.test.ts'],
  ['test/storage/*.test.ts', 'test/intake/*.test.ts', 'test/observe/*.test.ts'],
  ['test/load/[i-z]*.test.ts'],
  ['test/postgres/*.test.ts'],
]

/** `npm run test:system` runs these. Each is a process of its own. */
const system = 'test/system/*.test.ts'

/** Most of the others wait for processes and timers: with these at the end, no core is idle. */
const lastGroups = [
  ['test/check/*.test.ts', 'test/client/*.test.ts', 'test/console/*.test.ts'],
  ['test/guard/*.test.ts', 'test/source/*.test.ts', 'test/explorer/*.test.ts'],
  [
    ...['test/records/*.test.ts', 'test/reports/*.test.ts'],
    ...['test/sign-in/*.test.ts', 'test/usage/*.test.ts'],
  ],
  collecting,
]

/**
 * The tests that open a provider in their own process run again with each of these in place of its store: a service behind
 * a guard, and a source. The code in front of a source, which verifies tokens, is that in front of the store. See
 * test/support/variant.ts.
 */
const variants = {
  guard: ['test/auth/*.test.ts', 'test/http/*.test.ts'],
  source: ['test/http/*.test.ts'],
}
const opensProvider = /\b(open|shared)(Token)?Provider\(/

/** `npm run check` runs these. */
const checked = ['test/tidy.test.ts', 'test/interface-sentences.test.ts']

/** More than the number of cores, because many tests wait for processes or for the disk. */
const concurrency = 6

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
const flags = [
  ...['--import', typebox, '--import', join(import.meta.dirname, 'end-tracking.ts')],
  `--test-concurrency=${concurrency}`,
]
process.exitCode = await runTests(program, flags, files, { POSTGRES_FOR_TESTS: server.url() })
await server.remove()
rmSync(folder, { recursive: true, force: true })

/** One file for each group, for each variant and for each test of the whole product, and the files of no group. */
function listFiles(): string[] {
  const separate = options['with-system'] ? globSync(system).sort() : []
  const grouped = [
    ...groups.map(listGroup),
    ...separate.map((file) => [file]),
    ...lastGroups.map(listGroup),
  ]
  const all = globSync('test/**/*.test.ts', {
    exclude: ['**/node_modules/**', ...checked, system],
  })
  const texts = [...grouped.map(formatImports), ...formatVariants()]
  return [...writeGroups(folder, texts), ...listOthers(grouped, all)]
}

function listGroup(patterns: readonly string[]): string[] {
  const separately = patterns === collecting ? [] : collecting
  return globSync(patterns, { exclude: [...checked, ...separately] }).sort()
}

function formatVariants(): string[] {
  return Object.entries(variants).map(([variant, patterns]) => {
    const again = globSync(patterns)
      .sort()
      .filter((file) => opensProvider.test(readFileSync(file, 'utf8')))
    const selection = `data:text/javascript,process.env.PROVIDER_FOR_TESTS="${variant}"`
    return `import ${JSON.stringify(selection)}\n${formatImports(again)}`
  })
}
