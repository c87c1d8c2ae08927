import { isDeepStrictEqual } from 'node:util'
import { type Fields, type Kind, type ParsedLine, parseLine } from './parse-line.ts'

/** The meaning of a load, from docs/explanation/loads.md. It shares no code with the product. */

type Outcome = 'created' | 'changed' | 'unchanged' | 'deleted'
/** A record of an account. Its time is assigned if the record has none. */
export interface Entry extends Pick<ParsedLine, 'id' | 'record' | 'status'> {
  readonly time: bigint
  readonly isAssigned: boolean
}

/** What is stored. Records are by the kind and the id of their account, which need not exist. */
export const emptyState = () => ({
  customers: new Map<
    string,
    Pick<ParsedLine, 'record' | 'emails'> & { email: string; name: string }
  >(),
  accounts: new Map<string, { kind: Kind; record: Fields; holders: ParsedLine['holders'] }>(),
  records: new Map<string, ReadonlyMap<string, Entry>>(),
  /** By `account ID` and `customer ID`, which need not exist. */
  restrictions: new Map<string, Fields>(),
  products: new Map<string, Fields>(),
  /** Of this load: what each line refers to, by the error if it does not exist, and times that were assigned. */
  references: new Map<string, Reference>(),
  assignedTimes: new Map<string, bigint>(),
})
export type State = ReturnType<typeof emptyState>
interface Reference extends Pick<ParsedLine, 'account' | 'kinds'> {
  readonly customer?: string
  readonly isRestriction?: true
}

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
  let state: State = { ...before, references: new Map(), assignedTimes: new Map() }
  const outcomes: [type: string, outcome: Outcome][] = []
  const errors: string[] = []
  const corrections: string[] = []
  const size = batch ?? Math.max(1, lines.length)
  for (let start = 0; start < lines.length; start += size) {
    const next = copy(state)
    const committed = lines.slice(start, start + size)
    const results = applyLines(next, committed, start, loadTime)
    const found = results.filter((result) => typeof result === 'string')
    errors.push(...found)
    if (found.length > 0 && batch !== undefined && !skipInvalid) continue
    const applied = committed.filter((_, index) => typeof results[index] !== 'string')
    corrections.push(...findCorrections(state, next, applied.map(parseLine)))
    state = next
    outcomes.push(...results.filter((result) => typeof result !== 'string'))
  }
  const unresolved = [...state.references].flatMap(([error, { account, kinds, customer }]) => {
    if (customer !== undefined) return state.customers.get(customer)?.record ? [] : [error]
    return kinds.some((kind) => kind === state.accounts.get(account)?.kind) ? [] : [error]
  })
  const isOnePiece = batch === undefined && !skipInvalid
  if (isOnePiece && !storesUnresolved) errors.push(...unresolved.splice(0))
  if (isOnePiece && errors.length > 0) {
    return { state: before, errors, unresolved, outcomes: [], corrections: [] }
  }
  return { state, errors, unresolved, outcomes, corrections }
}

/** The records with a line that is marked, of which readers see another one after the commit, or none. */
function findCorrections(before: State, after: State, lines: readonly ParsedLine[]): string[] {
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

/** Applies lines in their order. Each is an error, or has an outcome. */
function applyLines(state: State, texts: readonly string[], start: number, at: Temporal.Instant) {
  const { customers, accounts, records, restrictions, products, references, assignedTimes } = state
  const lines = texts.map(parseLine)

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

  const applyAccount = (line: ParsedLine, number: number): Outcome | string => {
    const { account: id, kinds, record, holders } = line
    const [kind = 'banking'] = kinds
    const known = accounts.get(id)
    const [other, article] = kind === 'banking' ? ['energy', 'an'] : ['banking', 'a']
    if (!record) {
      const owner = `${kind}\n${id}`
      for (const key of records.get(owner)?.keys() ?? []) remove(owner, key)
      for (const [error, { account, kinds, isRestriction }] of references) {
        if (account === id && kinds.includes(kind) && !isRestriction) references.delete(error)
      }
      return known?.kind === kind && accounts.delete(id) ? 'deleted' : 'unchanged'
    }
    if (known?.kind === other) return `accountId is already the id of ${article} ${other} account`
    remove(`${other}\n${id}`, 'account.contact\n')
    for (const [index, customer] of [...holders.keys()].entries()) {
      const error = `${number} holders[${index}].customerId customer not found`
      references.set(error, { account: id, kinds, customer })
    }
    accounts.set(id, { kind, record, holders })
    return compare(known, { kind, record, holders })
  }

  /** While there is no account, a contact belongs to one of either kind. */
  const applyRecord = (line: ParsedLine, number: number): Outcome => {
    const { account, kinds, type, id, record, status, ownTime } = line
    const key = `${type}\n${id}`
    const [found] = kinds.flatMap((kind) => remove(`${kind}\n${account}`, key) ?? [])
    if (!record && status === undefined) return compare(found, undefined)
    references.set(`${number} ${line.path} not found`, { account, kinds })
    const assigned = line.assignedTime ?? assignedTimes.get(`banking\n${account}\n${key}`)
    const time = ownTime ?? assigned ?? at.epochNanoseconds
    const entry = { id, record, status, time, isAssigned: ownTime === undefined }
    const owner = kinds.length > 1 ? accounts.get(account)?.kind : undefined
    for (const kind of owner ? [owner] : kinds) put(`${kind}\n${account}`, key, entry)
    return compare(found && { ...found, isAssigned: entry.isAssigned }, entry)
  }

  /** Only its own lines change it. */
  const applyRestriction = ({ account, id, record }: ParsedLine, number: number): Outcome => {
    const [of, key] = account ? ['account', account] : ['customer', id]
    const before = restrictions.get(`${of} ${key}`)
    if (!record) restrictions.delete(`${of} ${key}`)
    else {
      restrictions.set(`${of} ${key}`, record)
      const customer = account ? {} : { customer: id }
      const reference = { account, kinds: ['banking', 'energy'], isRestriction: true } as const
      references.set(`${number} ${of}Id ${of} not found`, { ...reference, ...customer })
    }
    return compare(before, record)
  }

  /** Only the last line for each product counts. */
  const applyProduct = ({ type, id, record }: ParsedLine, index: number): Outcome => {
    if (lines.some((each, at) => at > index && each.type === type && each.id === id))
      return 'unchanged'
    const before = products.get(id)
    if (record) products.set(id, record)
    else products.delete(id)
    return compare(before, record)
  }

  const apply = (line: ParsedLine, number: number, index: number): string => {
    if (line.type === 'customer') return applyCustomer(line)
    if (line.type === 'product') return applyProduct(line, index)
    if (line.type === 'restriction') return applyRestriction(line, number)
    return line.isAccount ? applyAccount(line, number) : applyRecord(line, number)
  }
  return lines.map((line, index): string | [string, Outcome] => {
    const number = start + index + 1
    const result = apply(line, number, index)
    return result.includes(' ') ? `${number} ${result}` : [line.type, result as Outcome]
  })
}

function compare(before: unknown, after: unknown): Outcome {
  if (after === undefined) return before === undefined ? 'unchanged' : 'deleted'
  if (before === undefined) return 'created'
  return isDeepStrictEqual(before, after) ? 'unchanged' : 'changed'
}

const copy = <Maps extends object>(state: Maps): Maps =>
  Object.fromEntries(Object.entries(state).map(([name, map]) => [name, new Map(map)])) as Maps
