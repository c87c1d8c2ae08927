import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { holdfastHere } from '../auth/command.ts'
import { type Served, serve, temporaryFolder } from '../auth/processes.ts'
import { newDatabase } from '../support/engines.ts'
import { askForToken, type Caller, callerOf } from './world.ts'

/** What `holdfast client add` and `rotate` print. */
export interface Credentials {
  readonly id: string
  readonly secret: string
}

export interface Platform extends Caller, Pick<Served, 'kill'> {}

/** A database, and as many platform processes over it as are asked for. */
export interface Site {
  readonly folder: string
  readonly database: string
  /** Does what `holdfast client …` does, on the database. */
  client(...args: readonly string[]): ReturnType<typeof holdfastHere>
  addClient(name?: string, scope?: string): Promise<Credentials>
  start(credentials: Credentials): Promise<Platform>
}

export async function openSite(t: TestContext): Promise<Site> {
  const closings: (() => Promise<void>)[] = []
  // Processes end before the folder that they use is taken away.
  t.after(async () => {
    for (const close of closings.reverse()) await close()
  })
  const scope = { after: (work: () => Promise<void>) => void closings.push(work) }
  const folder = await temporaryFolder(scope)
  const database = await newDatabase(scope)
  const client = (...args: readonly string[]) =>
    holdfastHere(['client', ...args, '--database', database])
  return {
    folder,
    database,
    client,
    async addClient(name = 'pricing team', scope = 'products.write') {
      return credentialsIn(await client('add', name, '--scope', scope))
    },
    async start(credentials) {
      const { port, kill } = await serve(scope, 'platform', { database })
      return { ...callerOf(port, await askForToken(port, credentials)), kill }
    },
  }
}

export function credentialsIn({
  status,
  stdout,
  stderr,
}: Awaited<ReturnType<typeof holdfastHere>>): Credentials {
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  const [, id, secret] = /^client_id: (\S+)\nclient_secret: (\S+)\n$/.exec(stdout) ?? []
  assert.ok(id && secret, stdout)
  return { id, secret }
}
