import type { Answer, World } from './world.ts'

interface Operation {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The field of `data` that holds the records, where the answer is paged. */
  readonly list?: string
  /** Where the request names accounts, and of which kind they must be. */
  readonly names?: 'path' | 'body'
  readonly kind?: 'banking' | 'energy'
}

const banking = '/v1/banking/customer/{customer}'
const energy = '/v1/energy/customer/{customer}'

/** Sections A and C as the interface lists them: read from there, not from the code. */
export const operations = {
  B1: { method: 'GET', path: `${banking}/accounts`, list: 'accounts' },
  B2: {
    method: 'POST',
    path: `${banking}/accounts/balances`,
    list: 'balances',
    names: 'body',
    kind: 'banking',
  },
  B3: {
    method: 'GET',
    path: `${banking}/accounts/{account}/transactions`,
    list: 'transactions',
    names: 'path',
    kind: 'banking',
  },
  B4: {
    method: 'GET',
    path: `${banking}/accounts/{account}/payments/scheduled`,
    list: 'scheduledPayments',
    names: 'path',
    kind: 'banking',
  },
  B5: {
    method: 'POST',
    path: `${banking}/accounts/direct-debits`,
    list: 'directDebitAuthorisations',
    names: 'body',
    kind: 'banking',
  },
  B6: {
    method: 'POST',
    path: `${banking}/payments/scheduled`,
    list: 'scheduledPayments',
    names: 'body',
    kind: 'banking',
  },
  E1: { method: 'GET', path: `${energy}/accounts`, list: 'accounts' },
  E2: {
    method: 'POST',
    path: `${energy}/accounts`,
    list: 'accounts',
    names: 'body',
    kind: 'energy',
  },
  E3: {
    method: 'POST',
    path: `${energy}/accounts/invoices`,
    list: 'invoices',
    names: 'body',
    kind: 'energy',
  },
  E4: {
    method: 'GET',
    path: `${energy}/accounts/{account}/billing`,
    list: 'transactions',
    names: 'path',
    kind: 'energy',
  },
  E5: {
    method: 'POST',
    path: `${energy}/accounts/billing`,
    list: 'transactions',
    names: 'body',
    kind: 'energy',
  },
  contact: {
    method: 'GET',
    path: '/fdx/v6/customer/{customer}/accounts/{account}/contact',
    names: 'path',
  },
  C1: { method: 'POST', path: '/auth/v1/customer/search' },
  C2: { method: 'GET', path: '/auth/v1/customer/{customer}/accounts' },
  C3: { method: 'GET', path: '/auth/v1/customer/{customer}' },
  C4: {
    method: 'GET',
    path: '/customer/{customer}/accounts/{account}/balances',
    names: 'path',
    kind: 'banking',
  },
} as const satisfies Record<string, Operation>

export type Ref = keyof typeof operations

export const refs = Object.keys(operations) as Ref[]
export const pagedRefs = refs.filter((ref) => operationOf(ref).list !== undefined)
export const refsWithBody = refs.filter((ref) => operationOf(ref).names === 'body')
export const refsWithPath = refs.filter((ref) => operationOf(ref).names === 'path')

export function operationOf(ref: Ref): Operation {
  return operations[ref]
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
export function ask(world: World, ref: Ref, question: Question): Promise<Answer> {
  const { headers = {} } = question
  const path = pathOf(ref, question)
  return operationOf(ref).method === 'GET'
    ? world.get(path, headers)
    : world.post(path, bodyOf(ref, question), headers)
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
