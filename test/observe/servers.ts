import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { smallBank } from '../auth/bank.ts'
import { type KeyServer, openKeyServer } from '../auth/key-server.ts'
import { type Members, makeKey, mintToken, type TestKey } from '../auth/tokens.ts'
import { goodClaims, publicUrl, subdomain } from '../auth/world.ts'
import { closingTogether, type Scope } from '../support/engines.ts'
import { inherited } from '../support/environment.ts'
import { holdfastProgram } from '../support/program.ts'

/** A server of its own process, and every byte that it prints. */
export interface Server {
  readonly process: ChildProcess
  readonly address: string
  readonly port: number
  /** Where its metrics are, where it has any. */
  readonly metrics: string
  /** Standard output and standard error, so far. */
  output(): string
  /** The lines of its log, so far. */
  log(): LogLine[]
  /** Asks it to stop, and waits for its end. */
  stop(): Promise<number | null>
  ended(): Promise<number | null>
}

export type LogLine = Readonly<Record<string, unknown>>

type Flags = Readonly<Record<string, string>>

export async function start(
  scope: Scope,
  command: readonly string[],
  flags: Flags,
  environment: Flags = {},
): Promise<Server> {
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
  const child = spawn(process.execPath, [holdfastProgram, ...command, ...args], {
    env: { ...inherited, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { out: '', error: '' }
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    printed.out += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    printed.error += chunk
  })
  const closed = once(child, 'close')
  const ended = async () => {
    await closed
    return child.exitCode
  }
  scope.after(async () => {
    child.kill('SIGKILL')
    await closed
  })

  const last = flags['metrics-port'] === undefined ? /ready on |Ctrl-C/ : /metrics on .*\n/
  await until(() => last.test(printed.out) || child.exitCode !== null)
  const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed.out) ?? []
  assert.ok(address, `did not start: ${printed.out}${printed.error}`)
  return {
    process: child,
    address,
    port: Number(new URL(address).port),
    metrics: /metrics on (\S+)/.exec(printed.out)?.[1] ?? '',
    output: () => printed.out + printed.error,
    log: () => logLines(printed.error),
    stop() {
      child.kill('SIGTERM')
      return ended()
    },
    ended,
  }
}

function logLines(text: string): LogLine[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

const untilMs = 60_000

/** Waits until something is so, and fails where it never is. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + untilMs; performance.now() < end; await wait(10)) {
    if (await isSo()) return
  }
  assert.fail(`it never was: ${isSo}`)
}

/** A loaded database, a published key, and providers over them. */
export interface Town {
  readonly database: string
  readonly key: TestKey
  readonly keyServer: KeyServer
  provider(flags?: Flags, environment?: Flags): Promise<Server>
  platform(flags?: Flags, environment?: Flags): Promise<Server>
  mint(path: string, claims?: Members, header?: Members): string
  /** Asks with a good token of its own. */
  ask(server: Server, path: string, headers?: Flags, body?: string): Promise<Response>
}

export async function openTown(scope: Scope, prepared?: string): Promise<Town> {
  const inner = closingTogether(scope)
  const database = prepared ?? (await smallBank(inner))
  const key = makeKey('ES256', 'k1')
  const keyServer = await openKeyServer([key.jwk])
  inner.after(() => keyServer.close())
  const mint = (path: string, claims: Members = {}, header: Members = {}) =>
    mintToken(
      { ...goodClaims(path, Date.now() / 1000), ...claims },
      { alg: key.alg, kid: key.kid, ...header },
      key,
    )
  const settings = { database, subdomain, 'jwks-url': keyServer.url, 'provider-url': publicUrl }

  return {
    database,
    key,
    keyServer,
    mint,
    provider: (flags, environment) =>
      start(inner, ['serve', 'provider'], { port: '0', ...settings, ...flags }, environment),
    platform: (flags, environment) =>
      start(inner, ['serve', 'platform'], { port: '0', database, ...flags }, environment),
    ask: (server, path, headers = {}, body) => {
      const [resource = ''] = path.split('?')
      return fetch(server.address + path, {
        ...(body !== undefined && { method: 'POST', body }),
        headers: {
          authorization: `Bearer ${mint(resource)}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
      })
    },
  }
}
