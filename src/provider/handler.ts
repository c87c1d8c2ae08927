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

/** For operations with the account in the path. */
export function orNotFound<Found>(
  result: Found | Missing,
  account: 'account' | 'account_in_query' = 'account',
): Found {
  if (!isMissing(result)) return result
  const { missing, refused } = result
  const subject = missing === 'customer' ? missing : account
  if (refused === undefined) throw new ContractError(`${subject}_not_found`)
  const code = `${subject}_${refused === 'harm' ? 'protected' : 'not_found'}` as const
  throw new ContractError(code, undefined, {
    circumstance: refused,
    reason: describeRefusal(refused),
  })
}

/** For operations with the accounts in the body. */
export function orNotFoundInBody<Found>(result: Found | Missing): Found {
  return orNotFound(result, 'account_in_query')
}

function isMissing(result: unknown): result is Missing {
  return typeof result === 'object' && result !== null && 'missing' in result
}
