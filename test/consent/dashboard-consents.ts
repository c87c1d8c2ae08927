import type { Scope } from '../support/engines.ts'
import type { Browser } from './browser.ts'
import {
  type ConsentPlatform,
  issuer,
  openConsentPlatform,
  signInToConsents,
  type TestCustomer,
} from './platform.ts'
import { makeArrangement, makeThirdParty } from './stores.ts'

/** A platform with a third party of each profile. */
export async function openDashboard(scope: Scope): Promise<ConsentPlatform> {
  const platform = await openConsentPlatform(scope)
  await platform.addThirdParty(makeThirdParty('tp'))
  await platform.addThirdParty(makeThirdParty('cdr', { name: 'Accredited', profile: 'cds' }))
  return platform
}

let consents = 0

interface Terms {
  readonly accountIds?: readonly string[]
  readonly scopes?: readonly string[]
  readonly thirdPartyId?: string
  /** When the customer agreed. */
  readonly daysAgo?: number
  readonly days?: number
}

export async function addConsent(
  { store }: ConsentPlatform,
  { id: customerId, accounts }: TestCustomer,
  { daysAgo = 0, days = 90, ...terms }: Terms = {},
): Promise<string> {
  consents += 1
  const id = `history-${consents}`
  const from = Temporal.Now.instant().subtract({ hours: 24 * daysAgo })
  const until = from.add({ hours: 24 * (daysAgo + days) })
  const scopes = ['openid', 'bank:accounts.basic:read']
  const all = { customerId, accountIds: accounts, scopes, from, until, ...terms }
  await store.arrangements.add(makeArrangement(id, all))
  return id
}

/** The text of a page without its tags. */
export function readText({ page }: Browser): string {
  return page.text
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ')
}

export async function openPage(platform: ConsentPlatform, customer: TestCustomer, id: string) {
  const browser = await signInToConsents(platform, customer)
  await browser.open(`${issuer}/consents/${id}`)
  return browser
}
