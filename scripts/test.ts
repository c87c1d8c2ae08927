import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { initializeCluster, makePostgres } from '../test/support/postgres.ts'
import { bundleTypebox } from './bundle-typebox.ts'
import { installProgram } from './program.ts'

/**
 * Runs all tests, or the given files, against the command as published, with one PostgreSQL server for the whole run.
 * It fails if the server cannot start: no test is skipped.
 */
const given = process.argv.slice(2)
const files = given.length > 0 ? given : ['src/**/*.test.ts', 'test/**/*.test.ts']

/** More than the number of cores, because many tests wait for processes or for the disk. */
const concurrency = 4

/** All files of the run: compiled code, databases and the PostgreSQL cluster. */
const folder = makeFolder()
process.env['TMPDIR'] = folder
const program = await installProgram(join(folder, 'package'))
const typebox = await bundleTypebox(join(folder, 'typebox'))

process.env['POSTGRES_CLUSTER_FOR_TESTS'] = await initializeCluster()
const server = await makePostgres()
await server.start()
const flags = ['--import', typebox, '--test', `--test-concurrency=${concurrency}`]
const run = spawn(process.execPath, [...flags, ...files], {
  stdio: 'inherit',
  env: {
    ...process.env,
    // Hundreds of processes run the same code: it is compiled once.
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

/** In memory if there is room: most tests create a database, and a disk would take most of their time. */
function makeFolder(): string {
  const memory = '/dev/shm'
  const roomMin = 4 * 1024 ** 3
  const hasRoom = existsSync(memory) && freeBytes(memory) >= roomMin
  const made = mkdtempSync(join(hasRoom ? memory : tmpdir(), 'holdfast-tests-'))
  // PostgreSQL may run as another user.
  chmodSync(made, 0o755)
  return made
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}
