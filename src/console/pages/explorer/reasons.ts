import { listConsents } from '../../../contract/operations/consents.ts'
import { ApiError, read } from '../../api.ts'
import type { StateLabel } from '../../components/badge.tsx'
import { formatCount } from '../../labels.ts'
import { callProvider } from './calls.ts'
import { readsConsents } from './find.ts'
import { readList } from './read-list.ts'
import { findWindow, nameWindow } from './windows.ts'

/** One reason for which a third party may not see something, and whether it applies. */
export interface Reason {
  readonly label: StateLabel
  readonly text: string
}

interface Subject {
  readonly customerId: string
  readonly accountId: string
  readonly query: URLSearchParams
}

const yes: StateLabel = ['good', 'Yes']
const no: StateLabel = ['bad', 'No']

const list = 'listBankingTransactions'
const accountsMax = 1000
const consentsMax = 100
const filterNames = ['min-amount', 'max-amount', 'text'] as const
const windowNames = ['oldest-time', 'newest-time'] as const

/** Asks the provider, and the consents of this platform, in the order in which something can be missing. */
export async function findReasons(subject: Subject, signal: AbortSignal): Promise<Reason[]> {
  const { customerId, accountId } = subject
  const params = { customerId }
  const query = { 'page-size': accountsMax }
  const held = await orRefusal(
    Promise.all([
      callProvider({ operation: 'listBankingAccounts', params, query }, signal),
      callProvider({ operation: 'listEnergyAccounts', params, query }, signal),
      callProvider({ operation: 'listShareableAccounts', params }, signal),
    ]),
  )
  if ('refusal' in held) return [{ label: no, text: describeRefusal(held.refusal) }]
  const [banking, energy, shareable] = held.value
  const account = [...banking.data.accounts, ...energy.data.accounts].find(
    (each) => each.accountId === accountId,
  )
  if (!account) {
    return [{ label: no, text: 'The customer does not hold an account with this ID.' }]
  }
  const isOpen = account.openStatus !== 'CLOSED'
  const isShareable = shareable.accounts.some(({ id }) => id === accountId)
  const isBanking = banking.data.accounts.some((each) => each === account)
  return [
    { label: yes, text: 'The customer holds the account.' },
    {
      label: isOpen ? yes : ['warn', 'Closed'],
      text: isOpen
        ? 'The account is open.'
        : 'The account is closed: what is older than its end stays.',
    },
    {
      label: isShareable ? yes : no,
      text: isShareable
        ? 'The customer can choose it in a consent.'
        : 'The customer cannot choose it in a consent: the provider does not list it to share.',
    },
    ...(isBanking ? await explainTransactions(subject, signal) : []),
    ...(await explainConsents(subject, signal)),
  ]
}

/** The window and the filters of the list, each compared with the list without it. */
async function explainTransactions(subject: Subject, signal: AbortSignal): Promise<Reason[]> {
  const count = async (query: Readonly<Record<string, string>>) => {
    const page = { ...query, 'page-size': 1 }
    return (await readList(list, subject, page, signal)).totalRecords
  }
  const pick = (names: readonly string[]) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = subject.query.get(name)
        return value ? [[name, value]] : []
      }),
    )
  const window = pick(windowNames)
  const filters = pick(filterNames)
  const counted = await orRefusal(
    Promise.all([
      count({ 'oldest-time': findWindow(list)?.earliest ?? '' }),
      count(window),
      count({ ...window, ...filters }),
    ]),
  )
  if ('refusal' in counted) return [{ label: no, text: describeRefusal(counted.refusal) }]
  const [all, inWindow, matching] = counted.value
  const reasons: Reason[] = [
    { label: yes, text: 'The provider does not restrict the account.' },
    {
      label: inWindow < all ? ['warn', 'Window'] : yes,
      text: describeWindow(all - inWindow, subject.query, all),
    },
  ]
  if (Object.keys(filters).length === 0) return reasons
  const left = formatCount(inWindow - matching, 'transaction')
  return [
    ...reasons,
    {
      label: matching < inWindow ? ['warn', 'Filter'] : yes,
      text: `${left} in the window do not match the filters of this page.`,
    },
  ]
}

function describeWindow(outside: number, query: URLSearchParams, all: number): string {
  const window = findWindow(list)
  if (outside === 0 || !window) {
    return `All ${formatCount(all, 'transaction')} are inside the window.`
  }
  const name = nameWindow(window, query)
  return `${formatCount(outside)} of ${formatCount(all, 'transaction')} are outside ${name}.`
}

async function explainConsents(
  { customerId, accountId }: Subject,
  signal: AbortSignal,
): Promise<Reason[]> {
  if (!readsConsents()) {
    return [{ label: ['neutral', 'Not known'], text: 'Consents need the scope consent.read.' }]
  }
  const query = { customer: customerId, status: 'active', 'page-size': consentsMax } as const
  const { data } = await read(listConsents, { query, signal })
  const names = data
    .filter(({ accountIds }) => accountIds.includes(accountId))
    .map(({ thirdParty }) => thirdParty.name ?? 'a removed third party')
  return [
    names.length > 0
      ? { label: yes, text: `An active consent shares it with ${[...new Set(names)].join(', ')}.` }
      : { label: no, text: 'No active consent shares it: third parties do not get it.' },
  ]
}

type Asked<Value> = { readonly value: Value } | { readonly refusal: ApiError }

/** A refusal of the provider is a reason. An answer that it cannot give now is an error. */
async function orRefusal<Value>(answer: Promise<Value>): Promise<Asked<Value>> {
  try {
    return { value: await answer }
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) {
      return { refusal: error }
    }
    throw error
  }
}

function describeRefusal({ status, message }: ApiError): string {
  return status === 404
    ? 'The provider does not know the customer or the account.'
    : `The provider refuses to share it. ${message}`
}
