import { issuer } from '../test/consent/addresses.ts'
import { findFreePort } from '../test/support/free-port.ts'
import type { Answer } from '../test/support/http.ts'
import { runInProcess } from '../test/support/process.ts'
import { type KillableServer, openKillableServer } from './killable-server.ts'
import { subdomain } from './platform.ts'
import { pick } from './random-request.ts'
import { requireAvailable, untilAnswered } from './retry.ts'

/** Two platforms on one database, and a provider that they read from. */
export interface PlatformPair {
  readonly platforms: readonly KillableServer[]
  readonly ports: readonly number[]
  pickPort(): number
  /** Sends a request to one of them, and again to either until it is answered. `send` is called with the port and the attempts so far. */
  ask(name: string, send: (port: number, attempts: number) => Promise<Answer>): Promise<PairAnswer>
  errors(): readonly string[]
  close(): Promise<void>
}

export interface PairAnswer extends Answer {
  /** After several attempts, an earlier one may have been executed. */
  readonly attempts: number
}

export async function openPlatformPair(
  database: string,
  passcodeUrl: string,
): Promise<PlatformPair> {
  await runInProcess(['keys', 'add', '--database', database])
  const providerPort = await findFreePort()
  const providerUrl = `http://127.0.0.1:${providerPort}`
  const flags = {
    database,
    issuer,
    subdomain,
    'provider-url': providerUrl,
    'passcode-url': passcodeUrl,
    'trusted-proxies': '127.0.0.1',
  }
  const platforms = await Promise.all([
    openKillableServer('platform', flags),
    openKillableServer('platform', flags),
  ])
  const ports = platforms.map(({ port }) => port)
  const provider = await openKillableServer(
    'provider',
    {
      database,
      subdomain,
      'provider-url': providerUrl,
      'jwks-url': `http://127.0.0.1:${ports[0]}/.well-known/jwks.json`,
    },
    providerPort,
  )
  await Promise.all([...platforms, provider].map((server) => server.start()))
  const pickPort = () => pick(ports)
  return {
    platforms,
    ports,
    pickPort,
    ask: (name, send) =>
      untilAnswered(name, async (attempts) => {
        const answer = await send(pickPort(), attempts)
        requireAvailable(answer.status, answer.text)
        return { ...answer, attempts }
      }),
    errors: () => [...platforms, provider].flatMap((server) => server.errors()),
    async close() {
      await Promise.all([...platforms, provider].map((server) => server.kill()))
    },
  }
}
