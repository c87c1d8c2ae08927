import {
  type Consent,
  type ConsentList,
  ContractError,
  type Input,
  type OperationOf,
} from '../contract/index.ts'
import type { ConsentStore, StoredArrangement } from './store.ts'
import { readThirdPartyNames } from './third-party-names.ts'

/** S1: the consents of all customers, page by page. */
export async function listConsents(
  { query }: Pick<Input<OperationOf<'listConsents'>>, 'query'>,
  store: Pick<ConsentStore, 'arrangements' | 'thirdParties'>,
  now: Temporal.Instant,
): Promise<ConsentList> {
  const { 'updated-after': updatedAfter, 'page-size': pageSize, cursor } = query
  const found = await store.arrangements.list(
    {
      updatedAfter: updatedAfter === undefined ? undefined : Temporal.Instant.from(updatedAfter),
      after: cursor === undefined ? undefined : readCursor(cursor),
      // One more shows whether there is a next page.
      limit: pageSize + 1,
    },
    now,
  )
  const page = found.slice(0, pageSize)
  const last = page.at(-1)
  const names = await readThirdPartyNames(store)
  return {
    data: page.map((arrangement) => toConsent(arrangement, names.get(arrangement.thirdPartyId))),
    ...(last && found.length > pageSize && { next: writeCursor(last) }),
  }
}

function toConsent(arrangement: StoredArrangement, name: string | undefined): Consent {
  const { id, status, customerId, thirdPartyId, accountIds, scopes } = arrangement
  return {
    consentId: id,
    status,
    customerId,
    thirdParty: { id: thirdPartyId, ...(name !== undefined && { name }) },
    accountIds: [...accountIds],
    scopes: [...scopes],
    from: arrangement.from.toString(),
    until: arrangement.until.toString(),
    updated: arrangement.updated.toString(),
  }
}

function writeCursor({ updated, id }: Pick<StoredArrangement, 'updated' | 'id'>): string {
  return Buffer.from(`${updated.epochMilliseconds} ${id}`).toString('base64url')
}

function readCursor(cursor: string): Pick<StoredArrangement, 'updated' | 'id'> {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, time, id] = /^(\d{1,15}) (\S+)$/.exec(text) ?? []
  if (time === undefined || id === undefined) {
    throw new ContractError('invalid_request', 'cursor must be the next of a previous page')
  }
  return { updated: Temporal.Instant.fromEpochMilliseconds(Number(time)), id }
}
