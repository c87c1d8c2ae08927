import type { Client } from '../../../client/client.ts'
import type { CdsEndpoint } from '../../../contract/cds/shared/endpoints.ts'
import type { ObjectShape, WriteContext } from '../../../contract/cds/shared/shapes.ts'
import { printable } from '../../../contract/index.ts'
import { accountErrors, CdsError, type CdsErrorName } from '../../cds/errors.ts'
import type { Query } from '../../cds/query.ts'
import type { Observation } from '../account-observer.ts'
import {
  askProvider,
  type ProviderClient,
  ProviderUnavailable,
  SharingRefused,
} from '../customers.ts'
import { readOpenStatus } from '../read-account-states.ts'
import type { StoredArrangement } from '../store.ts'
import type { Ids } from './account-ids.ts'

/** Where the data comes from. */
export interface DataSource {
  readonly provider: ProviderClient
  readonly ids: Ids
  readonly clock: () => Temporal.Instant
  /** Of the provider’s times without a zone. */
  readonly timeZone: string
}

/** A request whose token is valid. */
export interface CdsCall extends DataSource {
  readonly endpoint: CdsEndpoint
  readonly arrangement: StoredArrangement
  /** Of the accounts, by the answers of the provider. */
  readonly observation: Observation
  readonly version: number
  readonly query: Query
  /** The account in the path; empty if it has none. */
  readonly accountId: string
  readonly body: unknown
  /** The public URL, without its query. */
  readonly url: string
  readonly interactionId: string
  /** Ends all calls of the provider for the request. */
  readonly signal: AbortSignal
  /** How often a field had a value that the standards do not allow. */
  readonly faults: Map<string, number>
  readonly disclosed: Disclosed
}

/** What the answer discloses, for its record. */
export interface Disclosed {
  /** The provider’s IDs of the accounts that each record names. The answer may have some of these records alone. */
  readonly accountIds: Map<object, readonly string[]>
  /** The query with the bounds of the period. */
  query?: Query
}

/**
 * Undefined if the provider does not know the customer or an account. If the provider refuses to share, the error names what
 * the third party asked for.
 */
export async function ask<Result>(
  call: CdsCall,
  work: (client: Client) => Promise<Result>,
): Promise<Result | undefined> {
  const { provider, accountId, observation } = call
  try {
    return await askProvider(provider, [404, 422], (client) => observation.watch(work(client)))
  } catch (error) {
    if (!(error instanceof SharingRefused)) throw error
    const refuse = (name: CdsErrorName, text: string) =>
      new CdsError(name, text, {}, { isRefusal: true })
    if (error.status === 403) throw refuse('sharingRefused', printable(accountId || theCustomer))
    if (accountId !== '') throw refuse(errorsOf(call).unavailable, printable(accountId))
    if (error.status === 404) throw refuse('customerUnavailable', theCustomer)
    throw new ProviderUnavailable('an account was restricted during the request')
  }
}

/** In the detail of an error: third parties have no ID of the customer. */
export const theCustomer = 'the customer'

/** The errors about the accounts of the endpoint. */
export function errorsOf({ endpoint }: Pick<CdsCall, 'endpoint'>) {
  return accountErrors[endpoint.accounts ?? 'banking']
}

/** The input that every operation of the provider needs. */
export function toInput({
  arrangement: { customerId },
  interactionId,
  signal,
}: Pick<CdsCall, 'arrangement' | 'interactionId' | 'signal'>) {
  return { params: { customerId }, interactionId, signal }
}

/** The provider’s id of the account in the path. */
export function resolveAccount(call: CdsCall): string {
  const { ids, arrangement, accountId, observation } = call
  const found = arrangement.accountIds.find(
    (id) => ids.makeAccountId(arrangement, id) === accountId,
  )
  if (found === undefined) return rejectAccount(call)
  observation.name(found)
  return found
}

/** The error does not say whether the account is not shared, of another kind, or unknown to the provider. */
export function rejectAccount(call: CdsCall): never {
  throw new CdsError(errorsOf(call).unknown, printable(call.accountId))
}

/** For an account that the provider has, and whose record it does not have or the standards do not allow. */
export function rejectRecord(call: CdsCall): never {
  throw new CdsError(errorsOf(call).unavailable, printable(call.accountId))
}

/** The record of the standards. Undefined if it would be invalid. */
export function writeRecord(
  call: CdsCall,
  record: unknown,
  shape: ObjectShape = call.endpoint.response.record,
): object | undefined {
  const { ids, arrangement, version, timeZone, faults, disclosed } = call
  const accountIds: string[] = []
  const context: WriteContext = {
    version,
    timeZone,
    makeId(kind, path) {
      const [accountId = ''] = path
      if (kind === 'account') {
        if (!arrangement.accountIds.includes(accountId)) return undefined
        accountIds.push(accountId)
      }
      return ids.makeId(arrangement, kind, path)
    },
    report: (field) => faults.set(field, (faults.get(field) ?? 0) + 1),
  }
  const written = shape.write(record, context) as object | undefined
  if (written) disclosed.accountIds.set(written, accountIds)
  return written
}

/** Without those that would be invalid. */
export function writeRecords(call: CdsCall, records: readonly unknown[]): readonly object[] {
  return records.map((each) => writeRecord(call, each)).filter((each) => each !== undefined)
}

/** Those of the consent. Notes which of them are closed. */
export function selectShared<
  Account extends { readonly accountId: string; readonly openStatus?: string },
>({ arrangement, observation }: CdsCall, accounts: readonly Account[]): readonly Account[] {
  const ids = new Set(arrangement.accountIds)
  const shared = accounts.filter(({ accountId }) => ids.has(accountId))
  for (const { accountId, openStatus } of shared) {
    observation.note([accountId], readOpenStatus(openStatus !== 'CLOSED'))
  }
  return shared
}
