import type { State } from './load-state.ts'
import type { ParsedLine } from './parse-line.ts'

/** A line with its number in the load. */
export interface AppliedLine extends ParsedLine {
  readonly number: number
}

interface Reference extends Pick<ParsedLine, 'account' | 'kinds'> {
  readonly customer?: string
  readonly isRestriction?: true
}

/**
 * The references of lines to what does not exist after them, as `LINE PATH REASON`. A line that its account was deleted
 * after is not checked, except a restriction.
 */
export function findUnresolved(
  { customers, accounts }: State,
  lines: readonly AppliedLine[],
): string[] {
  const references = new Map<string, Reference>()
  for (const line of lines) {
    if (line.isAccount && !line.record) {
      for (const [error, { account, kinds, isRestriction }] of references) {
        const isDeleted =
          account === line.account && kinds.some((kind) => line.kinds.includes(kind))
        if (isDeleted && !isRestriction) references.delete(error)
      }
    }
    for (const [error, reference] of listReferences(line)) references.set(error, reference)
  }
  return [...references].flatMap(([error, { account, kinds, customer }]) => {
    const exists =
      customer === undefined
        ? kinds.some((kind) => kind === accounts.get(account)?.kind)
        : customers.get(customer)?.record !== undefined
    return exists ? [] : [error]
  })
}

/** By the error if it does not exist. */
function listReferences(line: AppliedLine): (readonly [error: string, Reference])[] {
  const { number, type, account, kinds, id, record, status, holders, isAccount, path } = line
  if (type === 'restriction') {
    if (!record) return []
    const of = account ? 'account' : 'customer'
    const reference = { account, kinds: ['banking', 'energy'], isRestriction: true } as const
    const error = `${number} ${of}Id ${of} not found`
    return [[error, { ...reference, ...(!account && { customer: id }) }]]
  }
  if (isAccount) {
    return [...holders.keys()].map((customer, index) => [
      `${number} holders[${index}].customerId customer not found`,
      { account, kinds, customer },
    ])
  }
  if (kinds.length === 0 || (!record && status === undefined)) return []
  return [[`${number} ${path} not found`, { account, kinds }]]
}
