import { demoThirdPartyId } from '../contract/demo-ids.ts'
import type { ConsentStore } from '../platform/consent/store.ts'
import { callbackPath, keySetPath } from './example-budget.ts'
import { budgetScopes } from './third-party.ts'

/**
 * Registers Example Budget. Its keys are new at each start, so the platform reads them from its address. An earlier
 * registration at another address is replaced, which withdraws its consents.
 */
export async function registerBudget(
  { thirdParties }: ConsentStore,
  origin: string,
  now: Temporal.Instant,
): Promise<void> {
  const redirectUri = origin + callbackPath
  const registered = await thirdParties.find(demoThirdPartyId)
  if (registered?.redirectUris.includes(redirectUri)) return
  if (registered) await thirdParties.remove(demoThirdPartyId, now)
  await thirdParties.add({
    id: demoThirdPartyId,
    name: 'Example Budget',
    profile: 'plain',
    redirectUris: [redirectUri],
    scopes: [...budgetScopes],
    keys: { jwksUrl: origin + keySetPath },
    created: now,
  })
}
