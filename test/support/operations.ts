import {
  type AccountKind,
  type Operation as ContractOperation,
  findPageRecords,
  locateAccounts,
  providerOperations,
} from '../../src/contract/index.ts'
import type { Answer } from './http.ts'
import type { Provider } from './provider.ts'

type ProviderOperation = (typeof providerOperations)[keyof typeof providerOperations]

export type Ref = ProviderOperation['ref']

interface Operation {
  readonly method: ContractOperation['method']
  /** With the placeholders `{customer}` and `{account}`. */
  readonly path: string
  /** The names of its query parameters. */
  readonly parameters: readonly string[]
  /** The field of `data` with the records, if the response is paged. */
  readonly list?: string | undefined
  /** Where a request names accounts. */
  readonly names?: 'path' | 'body' | undefined
  readonly kind?: AccountKind | undefined
}

/** The provider's operations. The tests of the contract compare them with the interface. */
export const operations = Object.fromEntries(
  Object.values(providerOperations).map((operation) => [operation.ref, toOperation(operation)]),
) as Readonly<Record<Ref, Operation>>

function toOperation(operation: ContractOperation): Operation {
  const { method, path, query, response, accountKinds = [] } = operation
  const [kind, ...otherKinds] = accountKinds
  return {
    method,
    path: path.replace('{customerId}', '{customer}').replace(/\{(accountId|id)\}/, '{account}'),
    parameters: Object.keys(query.properties),
    list: findPageRecords(response)?.field,
    names: locateAccounts(operation),
    kind: otherKinds.length === 0 ? kind : undefined,
  }
}

export const refs = Object.keys(operations) as Ref[]
export const pagedRefs = refs.filter((ref) => getOperation(ref).list !== undefined)
export const refsWithBody = refs.filter((ref) => getOperation(ref).names === 'body')
export const refsWithPath = refs.filter((ref) => getOperation(ref).names === 'path')

export function getOperation(ref: Ref): Operation {
  return operations[ref]
}

export function isEnergy(ref: Ref): boolean {
  return getOperation(ref).kind === 'energy'
}

export interface OperationRequest {
  readonly customer?: string
  /** An operation with an account in its path uses the first. */
  readonly accounts?: readonly string[]
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the encoding of ids in the path. */
  readonly encode?: (id: string) => string
}

/** Sends a request to an operation. */
export function ask(provider: Provider, ref: Ref, question: OperationRequest): Promise<Answer> {
  const { headers = {} } = question
  const path = formatPath(ref, question)
  return getOperation(ref).method === 'GET'
    ? provider.get(path, headers)
    : provider.post(path, createBody(ref, question), headers)
}

export function formatPath(ref: Ref, question: OperationRequest): string {
  const { customer = 'ana', accounts = [], query = '', encode = encodeURIComponent } = question
  const path = getOperation(ref)
    .path.replace('{customer}', () => encode(customer))
    .replace('{account}', () => encode(accounts[0] ?? ''))
  return query === '' ? path : `${path}?${query}`
}

export function createBody(ref: Ref, { accounts = [] }: OperationRequest): unknown {
  return ref === 'C1' ? { email: 'ana@example.com' } : { data: { accountIds: accounts } }
}

/** The records of a page. */
export function getRecords(ref: Ref, answer: Answer): Answer['body'][] {
  return answer.body.data[getOperation(ref).list ?? '']
}

/** The account that each record of a page is about. */
export function getAccountIds(ref: Ref, answer: Answer): string[] {
  return getRecords(ref, answer).map((record) => record.accountId ?? record.from.accountId)
}
