import type { TokenSet } from '../test/consent/third-party.ts'
import type { ConsentCustomer } from './consent-customers.ts'
import type { PlatformPair } from './platform-pair.ts'
import type { Tally } from './tally.ts'
import type { ThirdParty } from './third-party.ts'

/** A consent that a platform acknowledged. It is active until one of the possible reasons of its end. */
export interface Consent {
  readonly id: string
  readonly customer: ConsentCustomer
  /** Undefined if the third party did not receive any. */
  tokens: TokenSet | undefined
  /** When the access token was issued. */
  issuedAt: number
  /** The reasons of its end, one of which is stored. Undefined while it is active. */
  ended: readonly string[] | undefined
}

export interface Consents {
  readonly tally: Tally
  readonly pair: PlatformPair
  readonly thirdParty: ThirdParty
  /** Sends a request with the token of an operator. */
  readonly askOperator: (
    name: string,
    method: 'GET' | 'POST',
    path: string,
  ) => ReturnType<PlatformPair['ask']>
  /** The passcode that is sent to a customer after `from` others, or undefined if it does not arrive. */
  readonly receivePasscode: (customer: ConsentCustomer, from: number) => Promise<string | undefined>
  readonly passcodeCount: () => number
}

interface StoredConsent {
  readonly consentId: string
  readonly status: string
  readonly customerId: string
}

/** S1: all stored consents, or those of a customer. */
export async function listConsents(
  { askOperator }: Consents,
  customerId?: string,
): Promise<StoredConsent[]> {
  const listed: StoredConsent[] = []
  let cursor: string | undefined
  do {
    const query = new URLSearchParams({
      'page-size': '1000',
      ...(customerId !== undefined && { customer: customerId }),
      ...(cursor !== undefined && { cursor }),
    })
    const { status, text, body } = await askOperator('S1', 'GET', `/v1/consents?${query}`)
    if (status !== 200) throw new Error(`the list of consents got ${status} ${text}`)
    listed.push(...body.data)
    cursor = body.next
  } while (cursor !== undefined)
  return listed
}

/** S2: the status and the reason of the last change. */
export async function readConsent({ askOperator }: Consents, id: string) {
  const { status, text, body } = await askOperator('S2', 'GET', `/v1/consents/${id}`)
  if (status !== 200) throw new Error(`the consent ${id} got ${status} ${text}`)
  return { status: String(body.status), reason: String(body.changes.at(-1)?.reason) }
}

/** Well before an access token expires. */
const tokenMaxMs = 300_000

/** An active consent lets its third party read exactly what is shared, at any platform or at a particular one. */
export async function compareShared(
  consents: Consents,
  consent: Consent,
  port?: number,
): Promise<void> {
  const { tally, thirdParty } = consents
  const { id, customer } = consent
  if (performance.now() - consent.issuedAt > tokenMaxMs) await refresh(consents, consent)
  const token = consent.tokens?.access_token ?? ''
  const accounts = await thirdParty.read(token, '/banking/accounts', '3', port)
  const balances = await thirdParty.read(token, '/banking/accounts/balances', '2', port)
  const names = accounts.body?.data?.accounts?.map(
    ({ displayName }: { displayName: string }) => displayName,
  )
  const amounts = balances.body?.data?.balances?.map(
    ({ currentBalance }: { currentBalance: string }) => currentBalance,
  )
  tally.count('consents: reads of shared data')
  const found = JSON.stringify([accounts.status, names, balances.status, amounts])
  const expected = JSON.stringify([200, [customer.displayName], 200, [customer.balance]])
  if (found !== expected)
    tally.fault('wrong', `the active consent ${id} shares ${found} instead of ${expected}`)
}

/** Gets a new access token. The refresh token stays the same. */
export async function refresh({ tally, thirdParty }: Consents, consent: Consent): Promise<void> {
  const refreshToken = consent.tokens?.refresh_token ?? ''
  const { tokens, error } = await thirdParty.refresh(refreshToken)
  tally.count('consents: refreshes')
  if (!tokens) {
    tally.fault('wrong', `a refresh of the active consent ${consent.id} got ${error}`)
    return
  }
  consent.tokens = Object.assign(tokens, { refresh_token: refreshToken })
  consent.issuedAt = performance.now()
}

/** After a withdrawal, no token is accepted at any platform. */
export async function compareEnded(
  { tally, thirdParty, pair }: Consents,
  { id, tokens }: Consent,
): Promise<void> {
  if (!tokens) return
  for (const port of pair.ports) {
    const { status } = await thirdParty.read(tokens.access_token, '/banking/accounts', '3', port)
    const { error } = await thirdParty.refresh(tokens.refresh_token ?? '', port)
    tally.count('consents: requests after the end')
    if (status !== 401 || error !== 'invalid_grant') {
      tally.fault('wrong', `the tokens of the ended consent ${id} got ${status} and ${error}`)
    }
  }
}

/** Compares the stored consents with the acknowledged ones. */
export async function compareStored(
  consents: Consents,
  acknowledged: readonly Consent[],
): Promise<void> {
  const { tally } = consents
  const stored = await listConsents(consents)
  const statuses = new Map(stored.map(({ consentId, status }) => [consentId, status]))
  const known = new Set(acknowledged.map(({ id }) => id))
  for (const { consentId, customerId } of stored) {
    if (!known.has(consentId))
      tally.fault('wrong', `the consent ${consentId} of ${customerId} was never acknowledged`)
  }
  for (const { id, ended } of acknowledged) {
    const expected = ended ? 'withdrawn' : 'active'
    const found = statuses.get(id)
    if (found !== expected) tally.fault('wrong', `the consent ${id} is ${found}, not ${expected}`)
    if (!ended) continue
    const { reason } = await readConsent(consents, id)
    if (!ended.includes(reason))
      tally.fault('wrong', `the consent ${id} ended because of ${reason}, not of ${ended.join()}`)
  }
}
