import { isDeepStrictEqual } from 'node:util'
import type { State } from './load-state.ts'
import type { ParsedLine } from './parse-line.ts'

/** The records with a line that is marked, of which readers see another one after the commit, or none. */
export function findCorrections(
  before: State,
  after: State,
  lines: readonly ParsedLine[],
): string[] {
  const corrected = lines
    .filter(({ isCorrection }) => isCorrection)
    .flatMap((line) => {
      const { type, account, id } = line
      const seen = findSeen(before, line)
      const now = findSeen(after, line)
      if (!seen || isDeepStrictEqual(seen.content, now?.content)) return []
      const entry = timed.has(type) || untimed.has(type) ? id : ''
      const times = [seen.content.time, now?.content.time].map((time) => time ?? '')
      return seen.holders.map((customer) => {
        const outcome = now?.holders.includes(customer) ? 'changed' : 'deleted'
        return [customer, type, account, entry, outcome, ...times].join('|')
      })
    })
  return [...new Set(corrected)]
}

/** What readers see of the record of a line, and who holds it. */
function findSeen({ customers, accounts, records }: State, line: ParsedLine) {
  const { type, kinds, account, id, isAccount } = line
  if (type === 'customer') {
    const record = customers.get(id)?.record
    return record && { content: { record, time: undefined }, holders: [id] }
  }
  const found = accounts.get(account)
  if (!found || !kinds.includes(found.kind)) return undefined
  const holders = [...found.holders.keys()]
  if (isAccount) return { content: { ...found, time: undefined }, holders }
  const entry = records.get(`${found.kind}\n${account}`)?.get(`${type}\n${id}`)
  if (!entry) return undefined
  const { record, status } = entry
  const time = timed.has(type) ? entry.time / 1_000_000n : undefined
  return { content: { record, status, time }, holders }
}

/** The lists in the order of time, and the others. */
const timed = new Set(['banking.transaction', 'energy.invoice', 'energy.billing'])
const untimed = new Set(['banking.scheduledPayment', 'banking.directDebit'])
