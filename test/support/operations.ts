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
  /** With the places `{customer}` and `{account}`. */
  readonly path: string
  /** The names of its query parameters. */
  readonly parameters: readonly string[]
  /** The field of `data` with the records, if the response is paged. */
  readonly list?: string | undefined
  /** Where a request names accounts, and of which kind they must be; of either if undefined. */
  readonly names?: 'path' | 'body' | undefined
  readonly kind?: AccountKind | undefined
}

/** Sections A and C. That the contract has them as the interface does is tested beside the contract. */
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
export const pagedRefs = refs.filter((ref) => operationOf(ref).list !== undefined)
export const refsWithBody = refs.filter((ref) => operationOf(ref).names === 'body')
export const refsWithPath = refs.filter((ref) => operationOf(ref).names === 'path')

export function operationOf(ref: Ref): Operation {
  return operations[ref]
}

export function isEnergy(ref: Ref): boolean {
  return operationOf(ref).kind === 'energy'
}

export interface Question {
  readonly customer?: string
  /** An operation whose path names an account takes the first. */
  readonly accounts?: readonly string[]
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Another way to write an id in a path. */
  readonly encode?: (id: string) => string
}

/** Asks an operation as the interface describes it. */
export function ask(provider: Provider, ref: Ref, question: Question): Promise<Answer> {
  const { headers = {} } = question
  const path = pathOf(ref, question)
  return operationOf(ref).method === 'GET'
    ? provider.get(path, headers)
    : provider.post(path, bodyOf(ref, question), headers)
}

export function pathOf(ref: Ref, question: Question): string {
  const { customer = 'ana', accounts = [], query = '', encode = encodeURIComponent } = question
  const path = operationOf(ref)
    .path.replace('{customer}', () => encode(customer))
    .replace('{account}', () => encode(accounts[0] ?? ''))
  return query === '' ? path : `${path}?${query}`
}

export function bodyOf(ref: Ref, { accounts = [] }: Question): unknown {
  return ref === 'C1' ? { email: 'ana@example.com' } : { data: { accountIds: accounts } }
}

/** The records of a page. */
export function recordsOf(ref: Ref, answer: Answer): Answer['body'][] {
  return answer.body.data[operationOf(ref).list ?? '']
}

/** The account that each record of a page is about. */
export function accountsOf(ref: Ref, answer: Answer): string[] {
  return recordsOf(ref, answer).map((record) => record.accountId ?? record.from.accountId)
}
