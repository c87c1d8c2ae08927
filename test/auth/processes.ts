import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { closingTogether, type Scope } from '../support/engines.ts'
import { inherited } from '../support/environment.ts'
import { holdfastProgram } from '../support/program.ts'
import { smallBank } from './bank.ts'
import { type KeyServer, openKeyServer } from './key-server.ts'
import { type Members, makeKey, mintToken, type TestKey } from './tokens.ts'
import { goodClaims, publicUrl, subdomain } from './world.ts'

/** A server of its own process, ready to be asked. */
export interface Served {
  readonly pid: number
  readonly port: number
  readonly address: string
  readonly child: ChildProcess
  /** All that it has said beside its first line. */
  said(): string
  /** Ends it as a power cut would. */
  kill(): Promise<void>
}

export async function serve(
  scope: Scope,
  role: 'provider' | 'platform',
  flags: Readonly<Record<string, string>>,
): Promise<Served> {
  const args = Object.entries({ port: '0', 'log-level': 'warn', ...flags }).flatMap(
    // A flag without a value is one that is there or not.
    ([name, value]) => (value === '' ? [`--${name}`] : [`--${name}`, value]),
  )
  const child = spawn(process.execPath, [holdfastProgram, 'serve', role, ...args], {
    env: inherited,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const complaints: string[] = []
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => complaints.push(chunk))
  const kill = () => killed(child)
  scope.after(kill)

  const lines = createInterface({ input: child.stdout })
  const [line] = await Promise.race([once(lines, 'line'), once(child, 'close').then(() => [''])])
  const [, address = '', port] =
    / ready on (https?:\/\/127\.0\.0\.1:(\d+))(, \d+ workers)?$/.exec(line) ?? []
  assert.ok(port, `did not start: ${line}${complaints.join('')}`)
  return {
    pid: child.pid ?? 0,
    port: Number(port),
    address,
    child,
    said: () => complaints.join(''),
    kill,
  }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

/** A folder that goes with the test. */
export async function temporaryFolder(scope: Scope): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-processes-'))
  scope.after(() => rm(folder, { recursive: true }))
  return folder
}

/** A loaded database, a published key, and as many provider processes over them as are asked for. */
export interface Town {
  readonly database: string
  readonly key: TestKey
  readonly keyServer: KeyServer
  startProvider(flags?: Readonly<Record<string, string>>): Promise<Served>
  /** Good now, by the clock of the machine, unless the test spoils it. */
  mint(path: string, claims?: Members): string
}

export async function openTown(scope: Scope): Promise<Town> {
  // Processes end before the database that they use is taken away.
  const inner = closingTogether(scope)
  const database = await smallBank(inner)
  const key = makeKey('ES256', 'k1')
  const keyServer = await openKeyServer([key.jwk])
  inner.after(() => keyServer.close())

  return {
    database,
    key,
    keyServer,
    startProvider: (flags = {}) =>
      serve(inner, 'provider', {
        ...flags,
        database,
        subdomain,
        'jwks-url': keyServer.url,
        'provider-url': publicUrl,
        ...flags,
      }),
    mint: (path, claims = {}) =>
      mintToken(
        { ...goodClaims(path, Date.now() / 1000), ...claims },
        { alg: key.alg, kid: key.kid },
        key,
      ),
  }
}
