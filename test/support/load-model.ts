import { isDeepStrictEqual } from 'node:util'
import { findCorrections } from './load-corrections.ts'
import { type AppliedLine, findUnresolved } from './load-references.ts'
import type { Entry, State } from './load-state.ts'
import { type Fields, type ParsedLine, parseLine } from './parse-line.ts'

/**
 * The meaning of a load, from docs/explanation/loads.md. It shares no code with the product. What is only reported is in
 * load-references.ts and load-corrections.ts.
 */

type Outcome = 'created' | 'changed' | 'unchanged' | 'deleted'

export interface LoadOptions {
  readonly batch?: number
  readonly skipInvalid?: boolean
  readonly storesUnresolved?: boolean
}

/** Returns the state after a load, its errors as `LINE PATH REASON`, what its lines did, and what it corrected. */
export function applyLoad(
  before: State,
  lines: readonly string[],
  loadTime: Temporal.Instant,
  { batch, skipInvalid = false, storesUnresolved = false }: LoadOptions = {},
) {
  let state: State = { ...before, assignedTimes: new Map() }
  const outcomes: [type: string, outcome: Outcome][] = []
  const errors: string[] = []
  const corrections: string[] = []
  const applied: AppliedLine[] = []
  const size = batch ?? Math.max(1, lines.length)
  for (let start = 0; start < lines.length; start += size) {
    const next = copy(state)
    const parsed = lines
      .slice(start, start + size)
      .map((text, index) => ({ ...parseLine(text), number: start + index + 1 }))
    const results = applyLines(next, parsed, loadTime)
    const found = results.filter((result) => typeof result === 'string')
    errors.push(...found)
    if (found.length > 0 && batch !== undefined && !skipInvalid) continue
    const accepted = parsed.filter((_, index) => typeof results[index] !== 'string')
    corrections.push(...findCorrections(state, next, accepted))
    applied.push(...accepted)
    state = next
    outcomes.push(...results.filter((result) => typeof result !== 'string'))
  }
  const unresolved = findUnresolved(state, applied)
  const isOnePiece = batch === undefined && !skipInvalid
  if (isOnePiece && !storesUnresolved) errors.push(...unresolved.splice(0))
  if (isOnePiece && errors.length > 0) {
    return { state: before, errors, unresolved, outcomes: [], corrections: [] }
  }
  return { state, errors, unresolved, outcomes, corrections }
}

/** Applies lines in their order. Each is an error, or has an outcome. */
function applyLines(state: State, lines: readonly AppliedLine[], at: Temporal.Instant) {
  const { customers, accounts, records, restrictions, products, assignedTimes } = state

  /** Earlier states share the records of an account. */
  const put = (owner: string, key: string, entry: Entry) =>
    records.set(owner, new Map(records.get(owner)).set(key, entry))
  const remove = (owner: string, key: string): Entry | undefined => {
    const kept = new Map(records.get(owner))
    const found = kept.get(key)
    if (found?.isAssigned) assignedTimes.set(`${owner}\n${key}`, found.time)
    if (kept.delete(key)) records.set(owner, kept)
    return found
  }

  const applyCustomer = ({ id, record, emails }: ParsedLine): Outcome | string => {
    const known = customers.get(id)
    const { email = '', name = '' } = record ?? known ?? {}
    const key = email.toLowerCase()
    if (known && known.email !== key && known.name !== name) {
      return 'id belonged to another person, with another e-mail and another name: an id cannot be reused'
    }
    if (record || known) customers.set(id, { record, emails, email: key, name })
    return compare(known?.record && [known.record, known.emails], record && [record, emails])
  }

  const applyAccount = (line: ParsedLine): Outcome | string => {
    const { account: id, kinds, record, holders } = line
    const [kind = 'banking'] = kinds
    const known = accounts.get(id)
    const [other, article] = kind === 'banking' ? ['energy', 'an'] : ['banking', 'a']
    if (!record) {
      const owner = `${kind}\n${id}`
      for (const key of records.get(owner)?.keys() ?? []) remove(owner, key)
      return known?.kind === kind && accounts.delete(id) ? 'deleted' : 'unchanged'
    }
    if (known?.kind === other) return `accountId is already the id of ${article} ${other} account`
    remove(`${other}\n${id}`, 'account.contact\n')
    accounts.set(id, { kind, record, holders })
    return compare(known, { kind, record, holders })
  }

  /** While there is no account, a contact belongs to one of either kind. */
  const applyRecord = (line: ParsedLine): Outcome => {
    const { account, kinds, type, id, record, status, ownTime } = line
    const key = `${type}\n${id}`
    const [found] = kinds.flatMap((kind) => remove(`${kind}\n${account}`, key) ?? [])
    if (!record && status === undefined) return compare(found, undefined)
    const assigned = line.assignedTime ?? assignedTimes.get(`banking\n${account}\n${key}`)
    const time = ownTime ?? assigned ?? at.epochNanoseconds
    const entry = { id, record, status, time, isAssigned: ownTime === undefined }
    const owner = kinds.length > 1 ? accounts.get(account)?.kind : undefined
    for (const kind of owner ? [owner] : kinds) put(`${kind}\n${account}`, key, entry)
    return compare(found && { ...found, isAssigned: entry.isAssigned }, entry)
  }

  const replace = (stored: Map<string, Fields>, key: string, record?: Fields): Outcome => {
    const before = stored.get(key)
    if (record) stored.set(key, record)
    else stored.delete(key)
    return compare(before, record)
  }

  /** Only its own lines change it. */
  const applyRestriction = ({ account, id, record }: ParsedLine): Outcome =>
    replace(restrictions, account ? `account ${account}` : `customer ${id}`, record)

  /** Only the last line for each product counts. */
  const applyProduct = ({ type, id, record }: ParsedLine, index: number): Outcome =>
    lines.some((each, at) => at > index && each.type === type && each.id === id)
      ? 'unchanged'
      : replace(products, id, record)

  const apply = (line: ParsedLine, index: number): string => {
    if (line.type === 'customer') return applyCustomer(line)
    if (line.type === 'product') return applyProduct(line, index)
    if (line.type === 'restriction') return applyRestriction(line)
    return line.isAccount ? applyAccount(line) : applyRecord(line)
  }
  return lines.map((line, index): string | [string, Outcome] => {
    const result = apply(line, index)
    return result.includes(' ') ? `${line.number} ${result}` : [line.type, result as Outcome]
  })
}

function compare(before: unknown, after: unknown): Outcome {
  if (after === undefined) return before === undefined ? 'unchanged' : 'deleted'
  if (before === undefined) return 'created'
  return isDeepStrictEqual(before, after) ? 'unchanged' : 'changed'
}

const copy = <Maps extends object>(state: Maps): Maps =>
  Object.fromEntries(Object.entries(state).map(([name, map]) => [name, new Map(map)])) as Maps
