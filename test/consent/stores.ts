import type { Arrangement, ConsentStore, ThirdParty } from '../../src/platform/consent/store.ts'
import { openConsentStore } from '../../src/storage/open.ts'
import { newDatabase, type Scope } from '../support/engines.ts'

export const now = Temporal.Instant.from('2026-07-01T00:00:00Z')
export const after = (seconds: number) => now.add({ milliseconds: Math.round(seconds * 1000) })

/** Two stores on one database, as two processes have them. */
export async function openStores(scope: Scope): Promise<[ConsentStore, ConsentStore]> {
  const database = await newDatabase(scope)
  const stores = [await openConsentStore(database), await openConsentStore(database)] as const
  scope.after(async () => {
    for (const store of stores) await store.close()
  })
  return [...stores]
}

export function makeArrangement(id: string, fields: Partial<Arrangement> = {}): Arrangement {
  return {
    id,
    thirdPartyId: 'tp',
    customerId: 'c1',
    accountIds: ['a1', 'a2'],
    scopes: ['bank:accounts.basic:read'],
    from: now,
    until: after(3600),
    ...fields,
  }
}

export function makeThirdParty(id: string, fields: Partial<ThirdParty> = {}): ThirdParty {
  return {
    id,
    name: 'Example Budget',
    profile: 'plain',
    redirectUris: ['https://budget.example/callback'],
    scopes: ['openid', 'bank:accounts.basic:read'],
    keys: { jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }] } },
    created: now,
    ...fields,
  }
}
