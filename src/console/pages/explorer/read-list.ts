import type { Meta } from '../../../contract/index.ts'
import { locateAccounts } from '../../../contract/operation.ts'
import * as banking from '../../../contract/operations/banking.ts'
import * as energy from '../../../contract/operations/energy.ts'
import { findPageRecords } from '../../../contract/paging.ts'
import type { Answer } from './call-input.ts'
import { callProvider } from './calls.ts'

const lists = { ...banking, ...energy }

export type ListId = keyof typeof lists

/** The records of a list. */
export type Row<Id extends ListId> =
  Answer<Id> extends { readonly data: infer Data }
    ? Data[keyof Data] extends readonly (infer Each)[]
      ? Each
      : never
    : never

/** A page of a list. Where the list is about one account, the path or the body of the request names it. */
export async function readList<Id extends ListId>(
  operation: Id,
  { customerId, accountId }: { readonly customerId: string; readonly accountId: string },
  query: Readonly<Record<string, string | number>>,
  signal: AbortSignal,
) {
  const place = locateAccounts(lists[operation])
  const answer = await callProvider(
    {
      operation,
      params: place === 'path' ? { customerId, accountId } : { customerId },
      query,
      ...(place === 'body' && { body: { data: { accountIds: [accountId] } } }),
    },
    signal,
  )
  const { data, meta } = answer as unknown as {
    readonly data: Readonly<Record<string, readonly Row<Id>[]>>
    readonly meta: Meta
  }
  return { ...meta, rows: data[findPageRecords(lists[operation].response)?.field ?? ''] ?? [] }
}
