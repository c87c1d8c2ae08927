import {
  ContractError,
  describeRefusal,
  type Input,
  type JsonBody,
  type OperationOf,
  type providerOperations,
} from '../contract/index.ts'
import type { Missing, ProviderReads } from './store.ts'

export type ProviderOperationId = keyof typeof providerOperations

/** Everything that a handler receives besides its input. */
export interface Context {
  readonly store: ProviderReads
  readonly now: Temporal.Instant
  readonly timeZone: string
  readonly accountVersion: 3 | 4
}

/** Returns the response body. An empty string is sent as no body. */
export type Handler<Id extends ProviderOperationId> = (
  input: Input<OperationOf<Id>>,
  context: Context,
) => Promise<JsonBody>

/** One handler for each operation. A missing handler does not compile, nor does an export that is no operation. */
export type ExactHandlers<Members> = {
  readonly [Id in ProviderOperationId]: Handler<Id>
} & { readonly [Name in Exclude<keyof Members, ProviderOperationId>]: never }

/** By whether an operation has the account in its path, or accounts in its body. */
export const missingErrors = {
  path: {
    customer: 'customer_not_found',
    account: 'account_not_found',
    balance: 'balance_not_found',
    contact: 'contact_not_found',
  },
  body: {
    customer: 'customer_not_found',
    account: 'account_in_query_not_found',
    balance: 'balance_in_query_not_found',
    contact: 'contact_not_found',
  },
} as const

/** To prevent harm. */
const protectedErrors = {
  path: { customer: 'customer_protected', account: 'account_protected' },
  body: { customer: 'customer_protected', account: 'account_in_query_protected' },
} as const

/** For operations with the account in the path. */
export function orNotFound<Found>(result: Found | Missing, place: 'path' | 'body' = 'path'): Found {
  if (!isMissing(result)) return result
  const { missing, refused } = result
  if (refused === undefined) throw new ContractError(missingErrors[place][missing])
  const errors = refused === 'harm' ? protectedErrors : missingErrors
  throw new ContractError(errors[place][missing], undefined, {
    circumstance: refused,
    reason: describeRefusal(refused),
  })
}

/** For operations with the accounts in the body. */
export function orNotFoundInBody<Found>(result: Found | Missing): Found {
  return orNotFound(result, 'body')
}

function isMissing(result: unknown): result is Missing {
  return typeof result === 'object' && result !== null && 'missing' in result
}
