import { hashSecret, makeSecret } from '../../src/auth/secrets.ts'
import type { Scope as AccessScope } from '../../src/contract/index.ts'
import { openClientStore } from '../../src/storage/open.ts'
import type { Scope } from '../support/engines.ts'
import { type Answer, send } from '../support/http.ts'
import { runInProcess } from '../support/process.ts'
import { type ConsentPlatform, openConsentPlatform } from './platform.ts'
import { after, makeArrangement, makeThirdParty, now } from './stores.ts'

export interface BackOffice {
  readonly platform: ConsentPlatform
  list(query?: string): Promise<Answer>
  call(path: string, method?: string): Promise<Answer>
  run(...args: readonly string[]): ReturnType<typeof runInProcess>
  issueToken(scope: AccessScope): Promise<string>
}

/** A platform with an API client and three consents of two customers: r1 was withdrawn, r2 has expired, r3 is active. */
export async function openBackOffice(scope: Scope): Promise<BackOffice> {
  const platform = await openConsentPlatform(scope)
  const { store, database, port } = platform
  const year = Temporal.Now.instant().add({ hours: 24 * 365 })
  await store.thirdParties.add(
    makeThirdParty('tp', { name: 'Budget\u202e', recipientBaseUri: 'https://budget.example/dr' }),
  )
  await store.arrangements.add(makeArrangement('r1', { until: year }))
  await store.arrangements.add(makeArrangement('r2', { from: after(1), until: after(60) }))
  await store.arrangements.add(
    makeArrangement('r3', { from: after(2), until: year, customerId: 'c2', thirdPartyId: 'gone' }),
  )
  await store.arrangements.withdraw('r1', 'customer', after(3))

  const issueToken = await openTokens(scope, platform)
  const authorization = `Bearer ${await issueToken('consent.write')}`
  const call = (path: string, method = 'GET') =>
    send(port, `/v1/consents${path}`, { method, headers: { authorization } })
  return {
    platform,
    issueToken,
    call,
    list: (query = '') => call(query),
    run: (...args) => runInProcess(['consent', ...args, '--database', database]),
  }
}

/** Returns a function that registers an API client with a scope, and returns its token. */
export async function openTokens(
  scope: Scope,
  { database, port }: Pick<ConsentPlatform, 'database' | 'port'>,
): Promise<BackOffice['issueToken']> {
  const clients = await openClientStore(database)
  scope.after(() => clients.close())
  return async (granted) => {
    const client = { id: crypto.randomUUID(), name: 'crm', scopes: [granted], created: now }
    const secret = makeSecret()
    await clients.add(client, hashSecret(secret))
    const body = { client_id: client.id, client_secret: secret }
    return (await send(port, '/v1/token', { method: 'POST', body })).body.token
  }
}
