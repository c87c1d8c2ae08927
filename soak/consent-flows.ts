import { setTimeout as wait } from 'node:timers/promises'
import { issuer } from '../test/consent/addresses.ts'
import type { Started } from '../test/consent/third-party.ts'
import type { ConsentCustomer } from './consent-customers.ts'
import {
  type Consent,
  type Consents,
  compareEnded,
  compareShared,
  compareStored,
  listConsents,
  readConsent,
  refresh,
} from './consent-model.ts'
import { Interrupted, openCustomerBrowser } from './consent-pages.ts'
import { pick } from './random-request.ts'

const clients = 3
const pauseMaxMs = 300

/** How many consents of a run that are still active at its end are read again. */
const comparedMax = 20

/** A code can be exchanged for 60 seconds. */
const codeMaxMs = 50_000

/** Customers give consents, a third party uses them, and all parties withdraw them, until the run is over. */
export async function runConsents(
  consents: Consents,
  customers: readonly ConsentCustomer[],
  isOver: () => boolean,
): Promise<void> {
  const next = customers.values()
  const acknowledged: Consent[] = []
  const kept: Consent[] = []
  const run = async (_: unknown, client: number) => {
    for (let round = client; round < client + 2 || !isOver(); round += 1) {
      const consent = await giveConsent(consents, next)
      // Every customer has given a consent.
      if (!consent) return
      acknowledged.push(consent)
      if (consent.tokens) await use(consents, consent)
      const end = ends[round % ends.length]
      if (end && !consent.ended) await withdraw(consents, consent, end)
      else if (consent.tokens && !consent.ended) kept.push(consent)
      if (kept.length > 0) await compareShared(consents, pick(kept))
      await wait(Math.random() * pauseMaxMs)
    }
  }
  await Promise.all(Array.from({ length: clients }, run))
  await compareStored(consents, acknowledged)
  for (const consent of kept.slice(-comparedMax)) {
    for (const port of consents.pair.ports) await compareShared(consents, consent, port)
  }
  for (const consent of acknowledged.filter(({ ended }) => ended).slice(-comparedMax))
    await compareEnded(consents, consent)
}

async function use(consents: Consents, consent: Consent): Promise<void> {
  await compareShared(consents, consent)
  await refresh(consents, consent)
  await compareShared(consents, consent)
}

/** Repeats the flow with another customer if it is interrupted. Undefined if there are no more customers. */
async function giveConsent(
  consents: Consents,
  customers: Iterator<ConsentCustomer>,
): Promise<Consent | undefined> {
  for (;;) {
    const { value: customer, done } = customers.next()
    if (done) return undefined
    try {
      return await agree(consents, customer)
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error
      consents.tally.count('consents: interrupted flows')
    }
  }
}

/** From the pushed request to the tokens. */
async function agree(consents: Consents, customer: ConsentCustomer): Promise<Consent> {
  const { tally, thirdParty } = consents
  const browser = openCustomerBrowser(consents)
  const started = await thirdParty.start()
  await browser.open(started.url, /wants to see your data/)
  await browser.signIn(customer, /Choose the accounts/)
  await browser.submit('accounts', { account: customer.accountId }, /Share your data with/)
  const { status, location } = await browser.post('confirm')
  const stored = await listConsents(consents, customer.id)
  const [found] = stored
  if (status !== 303 || !location || found?.status !== 'active' || stored.length !== 1) {
    const text = JSON.stringify(stored)
    throw new Error(`${customer.id} confirmed and got ${status}, stored is ${text}`)
  }
  tally.count('consents: given')
  const { consentId: id } = found
  const consent: Consent = { id, customer, tokens: undefined, issuedAt: 0, ended: undefined }
  const receivedAt = performance.now()
  const callback = await browser.leave(location)
  // The response with the code was lost. The consent is active, and its code is never used.
  if (!callback) tally.count('consents: without a code')
  else await exchange(consents, consent, callback, started, receivedAt)
  return consent
}

/** If the response is lost, the third party uses the code a second time, which may end the consent. */
async function exchange(
  consents: Consents,
  consent: Consent,
  callback: URL,
  started: Started,
  receivedAt: number,
): Promise<void> {
  const { tally, thirdParty } = consents
  const { id } = consent
  const { tokens, error, attempts } = await thirdParty.exchange(callback, started)
  if (tokens) {
    const found = tokens['cdr_arrangement_id']
    if (found !== id) tally.fault('wrong', `the code of ${id} got tokens of ${found}`)
    Object.assign(consent, { tokens, issuedAt: performance.now() })
    tally.count('consents: codes exchanged')
    return
  }
  const isLate = performance.now() - receivedAt > codeMaxMs
  const { status, reason } = await readConsent(consents, id)
  if (error !== 'invalid_grant' || (attempts === 1 && !isLate)) {
    tally.fault('wrong', `the ${attempts}. use of the code of ${id} got ${error}`)
  }
  if (status === 'withdrawn' && reason === 'code_replayed' && attempts > 1) {
    tally.count('consents: ended by the second use of a code')
    consent.ended = [reason]
  } else if (!isLate) {
    tally.fault('wrong', `after ${attempts} uses of its code, ${id} is ${status} by ${reason}`)
  }
}

const ends = ['customer', 'third_party', 'operator', undefined] as const
type End = NonNullable<(typeof ends)[number]>

/** Withdraws a consent. A request at the same time may succeed or not. */
async function withdraw(consents: Consents, consent: Consent, end: End): Promise<void> {
  const { tally, thirdParty } = consents
  const { tokens } = consent
  const reading = tokens && thirdParty.read(tokens.access_token, '/banking/accounts', '3')
  consent.ended = await withdrawAs[end](consents, consent)
  tally.count('consents: withdrawn')
  const meanwhile = (await reading)?.status ?? 200
  if (meanwhile !== 200 && meanwhile !== 401)
    tally.fault('wrong', `a read during the withdrawal of ${consent.id} got ${meanwhile}`)
  await compareEnded(consents, consent)
}

type Withdraw = (consents: Consents, consent: Consent) => Promise<readonly string[]>

/** Each returns the possible reasons of the end that is stored. */
const withdrawAs: Readonly<Record<End, Withdraw>> = {
  async operator({ askOperator }, { id }) {
    const { status, text } = await askOperator('S3', 'POST', `/v1/consents/${id}/withdraw`)
    if (status !== 204) throw new Error(`the withdrawal of ${id} got ${status} ${text}`)
    return ['operator']
  },

  async third_party(consents, consent) {
    const { tokens } = consent
    if (!tokens) return withdrawAs.operator(consents, consent)
    await consents.thirdParty.revoke(tokens.refresh_token ?? '')
    return ['third_party']
  },

  /** At `/consents`, after another passcode. */
  async customer(consents, consent) {
    const { id, customer } = consent
    const page = `${issuer}/consents`
    const browser = openCustomerBrowser(consents)
    try {
      await browser.open(page, /Your data sharing/)
      await browser.signIn(customer, /Your data sharing/)
      await browser.open(`${page}/${id}/stop`, /Stop sharing with/)
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error
      consents.tally.count('consents: interrupted withdrawals')
      return withdrawAs.operator(consents, consent)
    }
    const { status } = await browser.post('withdraw')
    if (status === 303) return ['customer']
    // An earlier attempt may have been executed.
    return ['customer', ...(await withdrawAs.operator(consents, consent))]
  },
}
