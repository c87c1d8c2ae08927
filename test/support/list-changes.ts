import * as lines from './lines.ts'

/** Changes of lists, and their lines. */

export type List = 'transaction' | 'payment' | 'debit' | 'invoice' | 'billing'

/** One change of a load. */
export type Change =
  | { readonly kind: 'put'; readonly put: Put }
  | { readonly kind: 'remove'; readonly list: List; readonly account: string; readonly id: string }
  /** The account is deleted with everything in it, and created again. */
  | { readonly kind: 'wipe'; readonly account: string }

export interface Put {
  readonly list: List
  readonly account: string
  readonly id: string
  /** In UTC; undefined for a transaction without a time. */
  readonly time: string | undefined
  /** The field of a transaction's time; `effectiveTime` is in the envelope. */
  readonly timeField: 'postingDateTime' | 'executionDateTime' | 'effectiveTime'
  readonly amount: string
  readonly text: string
}

/** Creates the line of an account. */
export type MakeAccount = (account: string) => object

export function formatLines(change: Change, makeAccount: MakeAccount): object[] {
  if (change.kind === 'put') return [putLine(change.put)]
  if (change.kind === 'remove') return [removeLine(change.list, change.account, change.id)]
  const made = makeAccount(change.account) as { type: string }
  return [{ type: made.type, delete: { accountId: change.account } }, made]
}

function putLine({ list, account, id, time = '', timeField, amount, text }: Put): object {
  switch (list) {
    case 'transaction': {
      const fields = { ...lines.pending, amount, description: text }
      if (time === '') return lines.transaction(account, id, fields)
      if (timeField === 'effectiveTime') {
        return { ...lines.transaction(account, id, fields), effectiveTime: time }
      }
      return lines.transaction(account, id, { ...fields, [timeField]: time })
    }
    case 'payment':
      return lines.scheduledPayment(account, id, { nickname: text })
    case 'debit':
      return lines.directDebit(account, id, { lastDebitAmount: amount })
    case 'invoice': {
      const { type, record } = lines.invoice(account, id, time.slice(0, 10))
      return { type, record: { ...record, invoiceAmount: amount } }
    }
    case 'billing':
      return lines.billing(account, id, time.replace('Z', ''), amount)
  }
}

const removals = {
  transaction: ['banking.transaction', 'transactionId'],
  payment: ['banking.scheduledPayment', 'scheduledPaymentId'],
  debit: ['banking.directDebit', 'id'],
  invoice: ['energy.invoice', 'invoiceNumber'],
  billing: ['energy.billing', 'id'],
} as const satisfies Record<List, readonly [string, string]>

function removeLine(list: List, accountId: string, id: string): object {
  const [type, field] = removals[list]
  return { type, delete: { accountId, [field]: id } }
}
