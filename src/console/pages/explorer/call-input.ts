import type { OperationOf, Output, providerOperations } from '../../../contract/index.ts'

export type ProviderOperationId = keyof typeof providerOperations

/** The input of `callProvider`, with values of their own types. */
export interface CallInput<Id extends ProviderOperationId = ProviderOperationId> {
  readonly operation: Id
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
}

/** What an operation of the provider returns. */
export type Answer<Id extends ProviderOperationId> = Output<OperationOf<Id>>
