import assert from 'node:assert/strict'
import type { Static } from 'typebox'
import {
  type BankingTransaction,
  formatProblem,
  type RecordType,
  recordTypes,
} from '../../src/contract/index.ts'
import { validator } from '../../src/contract/validate.ts'

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

export function parseLine(text: string): Line {
  return JSON.parse(text)
}

export function filterLines<T extends RecordType>(lines: readonly Line[], type: T): Line<T>[] {
  return lines.filter((line) => line.type === type) as unknown as Line<T>[]
}

export function filterRecords<T extends RecordType>(lines: readonly Line[], type: T) {
  return filterLines(lines, type).map(({ record }) => record)
}

export function validateLine({ type, record }: Line): string[] {
  const problems = validators.get(type)?.problems(record) ?? [
    { path: 'type', reason: 'is unknown' },
  ]
  return problems.map((problem) => `${type}: ${formatProblem(problem)}`)
}

/** The account of a registered payee belongs to no customer that was generated. */
const ownAccountId = /(?<!"toUType":"payeeId",)"accountId":"([^"]+)"/g

/** Referenced customers, accounts and products that do not exist. */
export function findUnresolvedIds(lines: readonly Line[]): string[] {
  const accounts = [
    ...filterLines(lines, 'banking.account'),
    ...filterLines(lines, 'energy.account'),
  ]
  const known = new Set([
    ...filterRecords(lines, 'customer').map(({ id }) => id),
    ...filterRecords(lines, 'product').map((product) => product.product_id),
    ...accounts.map(({ record }) => record.accountId),
  ])
  const referenced = lines.flatMap((line) => [
    ...(line.holders ?? []).map(({ customerId }) => customerId),
    ...[...JSON.stringify(line).matchAll(ownAccountId)].map(([, id = '']) => id),
  ])
  const offsets = filterRecords(lines, 'banking.account').flatMap(
    ({ loan }) => loan?.offsetAccountIds ?? [],
  )
  const bundled = filterRecords(lines, 'product').flatMap(({ bundles = [] }) =>
    bundles.flatMap((bundle) => bundle.product_ids ?? []),
  )
  return [...referenced, ...offsets, ...bundled].filter((id) => !known.has(id))
}

/** The effective time of a transaction; infinity if it has none. */
export function effectiveMs({ postingDateTime, executionDateTime }: BankingTransaction): number {
  const time = postingDateTime ?? executionDateTime
  return time === undefined ? Number.POSITIVE_INFINITY : Date.parse(time)
}

/** Transactions are grouped by account, oldest first, and none is in the future. */
export function assertOrdered(lines: readonly Line[], untilMs: number): void {
  const seen = new Set<string>()
  let accountId = ''
  let last = Number.NEGATIVE_INFINITY
  for (const transaction of filterRecords(lines, 'banking.transaction')) {
    if (transaction.accountId !== accountId) {
      accountId = transaction.accountId
      assert.ok(!seen.has(accountId), `${accountId} has two groups of transactions`)
      seen.add(accountId)
      last = Number.NEGATIVE_INFINITY
    }
    const time = effectiveMs(transaction)
    assert.ok(time >= last, `${accountId} ${transaction.transactionId} is out of order`)
    assert.ok(time < untilMs || time === Number.POSITIVE_INFINITY, `${accountId} is in the future`)
    last = time
  }
}

/** The current balance is the sum of posted transactions; the available balance of a deposit adds pending ones. */
export function assertBalanced(lines: readonly Line[]): void {
  const posted = new Map<string, number>()
  const pending = new Map<string, number>()
  for (const { accountId, status, amount } of filterRecords(lines, 'banking.transaction')) {
    const sums = status === 'POSTED' ? posted : pending
    sums.set(accountId, (sums.get(accountId) ?? 0) + parseCents(amount))
  }
  const balances = new Map(
    filterRecords(lines, 'banking.balance').map((balance) => [balance.accountId, balance]),
  )
  for (const { accountId, lendingRates } of filterRecords(lines, 'banking.account')) {
    const balance = balances.get(accountId)
    const current = posted.get(accountId) ?? 0
    assert.equal(parseCents(balance?.currentBalance), current, accountId)
    if (lendingRates) continue
    const available = current + (pending.get(accountId) ?? 0)
    assert.equal(parseCents(balance?.availableBalance), available, accountId)
  }
}

export function parseCents(money: string | undefined): number {
  return Math.round(Number(money ?? 0) * 100)
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
