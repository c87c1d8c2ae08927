import { put, removal } from './lines.ts'

/** Lines of a running bank, in order: each depends on the ones before it, so a lost or repeated line shows in a dump. */
export interface Traffic {
  /** What the lines refer to. */
  readonly base: readonly string[]
  /** The next lines, as text. */
  take(count: number): string
  /** How many lines were taken. */
  count(): number
  /** The base and all lines that were taken. */
  all(): readonly string[]
}

const accounts = ['a1', 'a2', 'a3']

export function createTraffic(random: (limit: number) => number, prefix = ''): Traffic {
  const names = accounts.map((account) => prefix + account)
  const customer = `${prefix}c1`
  const base = [put.customer(customer), ...names.map((account) => put.account(account, [customer]))]
  const taken: string[] = []

  const create = (): string => {
    const number = taken.length
    const account = names[random(names.length)] ?? ''
    const id = `t${random(30)}`
    switch (random(4)) {
      case 0:
        return put.balance(account, { currentBalance: `${number}.00` })
      case 1:
        return removal('banking.transaction', { accountId: account, transactionId: id })
      default:
        return put.transaction(account, id, {
          description: `line ${number}`,
          postingDateTime: new Date(Date.UTC(2025, 0, 1 + random(300))).toISOString(),
        })
    }
  }

  return {
    base,
    take(count) {
      const lines = Array.from({ length: count }, () => {
        const line = create()
        taken.push(line)
        return line
      })
      return lines.map((line) => `${line}\n`).join('')
    },
    count: () => taken.length,
    all: () => [...base, ...taken],
  }
}
