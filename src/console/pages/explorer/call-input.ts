import type { providerOperations } from '../../../contract/index.ts'

export type ProviderOperationId = keyof typeof providerOperations

/** The input of `callProvider`, with values of their own types. */
export interface CallInput {
  readonly operation: ProviderOperationId
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
}
