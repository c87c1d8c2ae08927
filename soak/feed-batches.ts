import { balance, bankingAccount, customer, transaction } from '../test/support/lines.ts'
import { openModel } from './model.ts'
import { type CheckedRequest, createAllRequests, pick } from './random-request.ts'

/** The data of one feed, by the number of its batches. */
export interface FeedData {
  readonly customerId: string
  /** The customer, with a name of its own. */
  createCustomer(name: string): object
  /** Creates the next batch, and adds it to the model. */
  createBatch(number: number): Batch
  /** Requests for all data. What is expected of them depends on the number of the last committed batch. */
  requests(number: number): CheckedRequest[]
  /** The accounts that a batch deleted or did not create yet. */
  missingAccounts(number: number): readonly string[]
}

export interface Batch {
  readonly number: number
  readonly body: string
  readonly lines: number
}

const accountCount = 6
/** Few, so that many lines change or delete a transaction of an earlier batch. */
const transactionCount = 40
const linesMax = 30

const hourMs = 3_600_000

export function openFeedData(feed: string): FeedData {
  const customerId = `${feed}-customer`
  const accounts = Array.from({ length: accountCount }, (_, index) => `${feed}-account-${index}`)
  const model = openModel([])
  const open = new Set<string>()
  /** The accounts after each batch. */
  const openAfter: (readonly string[])[] = [[]]
  let created = 0

  const createCustomer = (name: string) =>
    customer(customerId, { name, email: `${feed}@example.com` })
  const transactionId = () => `t${Math.floor(Math.random() * transactionCount)}`
  const createAccount = (accountId: string) => {
    open.add(accountId)
    return [bankingAccount(accountId, { [customerId]: true }), createBalance(accountId)]
  }
  const createBalance = (accountId: string) => {
    created += 1
    return balance(accountId, { currentBalance: `${created}.00` })
  }
  const createTransaction = (accountId: string) => {
    created += 1
    const time = Date.UTC(2026, 0, 1) + Math.floor(Math.random() * 2000) * hourMs
    const fields = {
      description: `line ${created}`,
      postingDateTime: new Date(time).toISOString(),
    }
    return [transaction(accountId, transactionId(), fields)]
  }
  const createLines = (): object[] => {
    const accountId = pick(accounts)
    if (!open.has(accountId)) return createAccount(accountId)
    const choice = Math.random()
    if (choice < 0.03) {
      open.delete(accountId)
      return [removal('banking.account', { accountId })]
    }
    if (choice < 0.2) return [createBalance(accountId)]
    if (choice < 0.4) {
      return [removal('banking.transaction', { accountId, transactionId: transactionId() })]
    }
    return createTransaction(accountId)
  }

  return {
    customerId,
    createCustomer,
    createBatch(number) {
      const lines: object[] = number === 1 ? [createCustomer(feed)] : []
      const count = 1 + Math.floor(Math.random() * linesMax)
      while (lines.length < count) lines.push(...createLines())
      openAfter[number] = [...open]
      const texts = lines.map((line) => JSON.stringify(line))
      model.add(texts, number)
      return { number, body: `${texts.join('\n')}\n`, lines: lines.length }
    },
    requests: (number) =>
      createAllRequests(model, { customerId, banking: openAfter[number] ?? [], energy: [] }),
    missingAccounts: (number) => accounts.filter((id) => !openAfter[number]?.includes(id)),
  }
}

function removal(type: string, key: object) {
  return { type, delete: key }
}
