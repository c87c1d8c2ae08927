import assert from 'node:assert/strict'
import type { Static } from 'typebox'
import {
  type BankingTransaction,
  formatProblem,
  type RecordType,
  recordTypes,
  validator,
} from '../../src/contract/index.ts'

export interface Line<Type extends RecordType = RecordType> {
  readonly type: Type
  readonly record: Static<(typeof recordTypes)[Type]>
  readonly holders?: readonly { readonly customerId: string; readonly isOwned?: boolean }[]
  readonly id?: string
  readonly accountId?: string
  readonly status?: string
}

const validators = new Map(
  Object.entries(recordTypes).map(([type, schema]) => [type, validator(schema)]),
)

export function parsed(text: string): Line {
  return JSON.parse(text)
}

export function linesOf<T extends RecordType>(lines: readonly Line[], type: T): Line<T>[] {
  return lines.filter((line) => line.type === type) as unknown as Line<T>[]
}

export function recordsOf<T extends RecordType>(lines: readonly Line[], type: T) {
  return linesOf(lines, type).map(({ record }) => record)
}

/** What the contract has against a line. */
export function problemsOf({ type, record }: Line): string[] {
  const problems = validators.get(type)?.problems(record) ?? [
    { path: 'type', reason: 'is unknown' },
  ]
  return problems.map((problem) => `${type}: ${formatProblem(problem)}`)
}

/** Customers, accounts and products that are mentioned and not there. */
export function strangersIn(lines: readonly Line[]): string[] {
  const accounts = [...linesOf(lines, 'banking.account'), ...linesOf(lines, 'energy.account')]
  const known = new Set([
    ...recordsOf(lines, 'customer').map(({ id }) => id),
    ...recordsOf(lines, 'product').map((product) => product.product_id),
    ...accounts.map(({ record }) => record.accountId),
  ])
  const mentioned = lines.flatMap((line) => [
    ...(line.holders ?? []).map(({ customerId }) => customerId),
    ...[...JSON.stringify(line).matchAll(/"accountId":"([^"]+)"/g)].map(([, id = '']) => id),
  ])
  const offsets = recordsOf(lines, 'banking.account').flatMap(
    ({ loan }) => loan?.offsetAccountIds ?? [],
  )
  const bundled = recordsOf(lines, 'product').flatMap(({ bundles = [] }) =>
    bundles.flatMap((bundle) => bundle.product_ids ?? []),
  )
  return [...mentioned, ...offsets, ...bundled].filter((id) => !known.has(id))
}

/** When a transaction took effect. Without any time it is still to come. */
export function effectiveMs({ postingDateTime, executionDateTime }: BankingTransaction): number {
  const time = postingDateTime ?? executionDateTime
  return time === undefined ? Number.POSITIVE_INFINITY : Date.parse(time)
}

/** Accounts come one after another, each from its oldest transaction to its newest, all of them past. */
export function assertOrdered(lines: readonly Line[], untilMs: number): void {
  const seen = new Set<string>()
  let accountId = ''
  let last = Number.NEGATIVE_INFINITY
  for (const transaction of recordsOf(lines, 'banking.transaction')) {
    if (transaction.accountId !== accountId) {
      accountId = transaction.accountId
      assert.ok(!seen.has(accountId), `${accountId} comes twice`)
      seen.add(accountId)
      last = Number.NEGATIVE_INFINITY
    }
    const time = effectiveMs(transaction)
    assert.ok(time >= last, `${accountId} ${transaction.transactionId} is out of order`)
    assert.ok(time < untilMs || time === Number.POSITIVE_INFINITY, `${accountId} is in the future`)
    last = time
  }
}

/** Posted transactions add up to the balance; pending ones, and no more, to what money is available. */
export function assertBalanced(lines: readonly Line[]): void {
  const posted = new Map<string, number>()
  const pending = new Map<string, number>()
  for (const { accountId, status, amount } of recordsOf(lines, 'banking.transaction')) {
    const sums = status === 'POSTED' ? posted : pending
    sums.set(accountId, (sums.get(accountId) ?? 0) + centsOf(amount))
  }
  const balances = new Map(recordsOf(lines, 'banking.balance').map((one) => [one.accountId, one]))
  for (const { accountId, lendingRates } of recordsOf(lines, 'banking.account')) {
    const balance = balances.get(accountId)
    const current = posted.get(accountId) ?? 0
    assert.equal(centsOf(balance?.currentBalance), current, accountId)
    if (lendingRates) continue
    const available = current + (pending.get(accountId) ?? 0)
    assert.equal(centsOf(balance?.availableBalance), available, accountId)
  }
}

export function centsOf(money: string | undefined): number {
  return Math.round(Number(money ?? 0) * 100)
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
