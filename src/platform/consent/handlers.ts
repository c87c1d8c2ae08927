import {
  type Actor,
  type Consent,
  ContractError,
  type CorrectionNotice,
  type consentOperations,
  type Input,
  type OperationOf,
  type Output,
  type ReportState,
} from '../../contract/index.ts'
import { scalars } from '../../contract/scalars.ts'
import type { Correction } from '../../disclosures/correction.ts'
import { findCorrections } from '../../disclosures/find-corrections.ts'
import { parsePosition } from '../../disclosures/position.ts'
import { readTime } from '../../disclosures/read-time.ts'
import { formatHistory, readConsentHistory } from './consent-history.ts'
import { listNotices } from './correction-notices.ts'
import type { ReadCustomerRecords } from './customer-records.ts'
import { formatFlow, toThirdParty } from './format-flow.ts'
import { formatMessages } from './outbox/format-messages.ts'
import type { StoredMessage } from './outbox/store.ts'
import type { ConsentStore, StoredArrangement } from './store.ts'
import { readThirdPartyNames } from './third-party-names.ts'

interface Context {
  readonly store: Pick<
    ConsentStore,
    | 'arrangements'
    | 'disclosures'
    | 'thirdParties'
    | 'flows'
    | 'outbox'
    | 'corrections'
    | 'disclosureRecords'
  >
  readonly now: Temporal.Instant
  /** Undefined without the consent role. */
  readonly listCustomerRecords: ReadCustomerRecords | undefined
  readonly readReport: (period: string) => Promise<ReportState>
  readonly timeZone: string
  readonly client: Actor | undefined
}

/** After this time, a page of notices ends with the correction that was examined last. */
const noticesMs = 3000

type ConsentOperationId = keyof typeof consentOperations

/** The operations on consents, for the systems of the data provider. */
export const consentHandlers: {
  readonly [Id in ConsentOperationId]: (
    input: Input<OperationOf<Id>>,
    context: Context,
  ) => Promise<Output<OperationOf<Id>>>
} = {
  /** S1: the consents of all customers, page by page. */
  async listConsents({ query }, { store, now }) {
    const { 'updated-after': updatedAfter, 'page-size': pageSize, cursor, status } = query
    const position = readCursor(cursor)
    const found = await store.arrangements.list(
      {
        status,
        thirdPartyId: query['third-party'],
        customerId: query.customer,
        isNewestFirst: query.order === 'newest',
        updatedAfter: updatedAfter === undefined ? undefined : Temporal.Instant.from(updatedAfter),
        after: position && { id: position.id, updated: position.time },
        // One more shows whether there is a next page.
        limit: pageSize + 1,
      },
      now,
    )
    const page = found.slice(0, pageSize)
    const last = page.at(-1)
    const names = await readThirdPartyNames(store)
    const messages = await store.outbox.listMessages(page.map(({ id }) => id))
    return {
      data: page
        // One that expires at this moment may not be recorded as expired yet.
        .filter((each) => status === undefined || each.status === status)
        .map((each) => toConsent(each, names.get(each.thirdPartyId), messages.get(each.id))),
      ...(last && found.length > pageSize && { next: writeCursor(last.updated, last.id) }),
    }
  },

  /** S2 */
  async getConsent({ params: { consentId } }, { store, now }) {
    const found = await store.arrangements.find(consentId, now)
    if (!found) throw new ContractError('consent_not_found')
    const history = await readConsentHistory(store, found)
    const thirdParty = await store.thirdParties.find(found.thirdPartyId)
    const messages = await store.outbox.listMessages([consentId])
    const consent = toConsent(found, thirdParty?.name, messages.get(consentId))
    return { ...consent, ...formatHistory(history) }
  },

  /** S3 */
  async withdrawConsent({ params: { consentId } }, { store: { arrangements }, now, client }) {
    if (await arrangements.withdraw(consentId, 'operator', now, client)) return
    if (!(await arrangements.find(consentId, now))) throw new ContractError('consent_not_found')
  },

  /** S4 */
  async listConsentFlows({ query }, { store, now }) {
    const { state, cursor, 'page-size': pageSize } = query
    const position = readCursor(cursor)
    const after = position && { id: position.id, started: position.time }
    const found = await store.flows.list({ state, after, limit: pageSize + 1 }, now)
    const page = found.slice(0, pageSize)
    const last = page.at(-1)
    const names = await readThirdPartyNames(store)
    return {
      data: page.map((flow) => formatFlow(flow, names)),
      ...(last && found.length > pageSize && { next: writeCursor(last.started, last.id) }),
    }
  },

  /** S5 */
  async listCustomerRecords({ params: { customerId }, query: { cursor } }, context) {
    const { listCustomerRecords: list } = context
    if (!list) throw new ContractError('not_configured', 'HOLDFAST_ISSUER is not set')
    if (cursor !== undefined && !parsePosition(cursor)) throw invalidCursor()
    return list(customerId, cursor)
  },

  /** S6 */
  getReport: ({ params: { period } }, { readReport }) => readReport(period),

  /** S7 */
  async listCorrectionNotices({ query }, { store, timeZone }) {
    const { cursor, 'page-size': pageSize, customer: customerId, since = '', until = '' } = query
    const corrections = findCorrections(store.corrections, {
      from: readTime(since, timeZone),
      to: readTime(until, timeZone),
      customerId,
      after: readCorrectionCursor(cursor),
    })
    const options = { timeZone, thirdPartyId: query['third-party'] }
    const data: CorrectionNotice[] = []
    const deadline = performance.now() + noticesMs
    let last: Correction | undefined
    for await (const [correction, notices] of listNotices(store, corrections, options)) {
      if (last && (data.length >= pageSize || performance.now() >= deadline))
        return { data, next: writeCursor(last.time, String(last.number)) }
      data.push(...notices)
      last = correction
    }
    return { data }
  },
}

function toConsent(
  arrangement: StoredArrangement,
  name: string | undefined,
  messages: readonly StoredMessage[] | undefined,
): Consent {
  const { id, status, customerId, thirdPartyId, accountIds, scopes, versionOf } = arrangement
  return {
    consentId: id,
    status,
    customerId,
    thirdParty: toThirdParty(thirdPartyId, name),
    accountIds: [...accountIds],
    scopes: [...scopes],
    from: arrangement.from.toString(),
    until: arrangement.until.toString(),
    updated: arrangement.updated.toString(),
    messages: formatMessages(messages),
    ...(versionOf !== undefined && { versionOf }),
  }
}

/** A position in a list that is ordered by time, then by id. */
function writeCursor(time: Temporal.Instant, id: string): string {
  return Buffer.from(`${time.epochMilliseconds} ${id}`).toString('base64url')
}

function readCorrectionCursor(cursor: string | undefined) {
  const position = readCursor(cursor)
  if (!position) return undefined
  const number = Number(position.id)
  if (!Number.isSafeInteger(number)) throw invalidCursor()
  return { time: position.time, number }
}

function readCursor(cursor: string | undefined) {
  if (cursor === undefined) return undefined
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, time, id] = /^(\d{1,15}) (\S+)$/.exec(text) ?? []
  if (time === undefined || id === undefined || !scalars.id.test(id)) {
    throw invalidCursor()
  }
  return { id, time: Temporal.Instant.fromEpochMilliseconds(Number(time)) }
}

function invalidCursor(): ContractError {
  return new ContractError('invalid_request', 'cursor must be the next of a previous page')
}
