import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makePostgres } from '../test/support/postgres.ts'

/**
 * Runs the tests, all of them or the files that are named, with one PostgreSQL for the whole run. It fails
 * where that cannot be started: no test goes without.
 */
const named = process.argv.slice(2)
const files = named.length > 0 ? named : ['src/**/*.test.ts', 'test/**/*.test.ts']

/** Many tests wait for processes or for the disk: a few more files at once than there are cores. */
const filesAtOnce = 4

/** The same code is compiled for hundreds of processes: once is enough. */
const compiled = mkdtempSync(join(tmpdir(), 'holdfast-compiled-'))

const server = await makePostgres()
await server.start()
const run = spawn(process.execPath, ['--test', `--test-concurrency=${filesAtOnce}`, ...files], {
  stdio: 'inherit',
  env: { ...process.env, NODE_COMPILE_CACHE: compiled, POSTGRES_FOR_TESTS: server.url() },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => run.kill(signal))
}
const [status] = await once(run, 'close')
await server.remove()
rmSync(compiled, { recursive: true, force: true })
process.exitCode = status ?? 1
