import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makePostgres } from '../test/support/postgres.ts'
import { installProgram } from './program.ts'

/**
 * Runs the tests, all of them or the files that are named, with one PostgreSQL for the whole run and on the program
 * as it is published. It fails where one of them cannot be had: no test goes without.
 */
const named = process.argv.slice(2)
const files = named.length > 0 ? named : ['src/**/*.test.ts', 'test/**/*.test.ts']

/** Many tests wait for processes or for the disk: a few more files at once than there are cores. */
const filesAtOnce = 4

/** The same code is compiled for hundreds of processes: once is enough. */
const folder = mkdtempSync(join(tmpdir(), 'holdfast-tests-'))
const program = await installProgram(join(folder, 'package'))

const server = await makePostgres()
await server.start()
const run = spawn(process.execPath, ['--test', `--test-concurrency=${filesAtOnce}`, ...files], {
  stdio: 'inherit',
  env: {
    ...process.env,
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    POSTGRES_FOR_TESTS: server.url(),
    PROGRAM_FOR_TESTS: program,
  },
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => run.kill(signal))
}
const [status] = await once(run, 'close')
await server.remove()
rmSync(folder, { recursive: true, force: true })
process.exitCode = status ?? 1
