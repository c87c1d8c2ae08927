import {
  anotherPerson,
  missingAccount,
  missingCustomer,
  otherKind,
} from '../../../intake/item-problems.ts'
import type { LineError } from '../../../intake/writer.ts'
import { kindName, listCodes } from '../../enum-codes.ts'
import { parsePlace } from './place.ts'
import type { ReadGroups, Run } from './run.ts'

/** How many lines are compared at a time. */
const groupSize = 1000

interface CustomerLine extends RejectedLine {
  readonly id: string
  readonly is_put: boolean
  readonly email_hash: string | null
  readonly name_hash: string | null
  /** Of the person who has or had the id before the load. */
  readonly stored_email: string | null
  readonly stored_name: string | null
}

/** The lines of customers of whom both the address and the name are different in two of the lines, or in the database. */
const customerLines = `
  select s.id, s.place, null as kind, s.is_put, s.email_hash, s.name_hash, c.email_hash as stored_email,
    c.name_hash as stored_name
  from staged_customer s left join customer c on c.id = s.id
  where s.id in (
    select s.id from staged_customer s left join customer c on c.id = s.id
    group by s.id, c.email_hash, c.name_hash
    having ${['email_hash', 'name_hash']
      .map((hash) => `least(min(s.${hash}), c.${hash}) <> greatest(max(s.${hash}), c.${hash})`)
      .join(' and ')}
  )
  order by s.id, s.place`

/**
 * A person may get a new name or a new address, but not both at once. No address is a value like any other. Names are
 * compared byte for byte. A line that deletes a customer may state who had the id, for a database that does not know it.
 */
function openCustomerCheck() {
  let id: string | undefined
  let email: string | null = null
  let name: string | null = null
  return (line: CustomerLine): boolean => {
    if (line.id !== id) [id, email, name] = [line.id, line.stored_email, line.stored_name]
    const isKnown = email !== null
    if (line.is_put && isKnown && line.email_hash !== email && line.name_hash !== name) return false
    if (line.is_put || !isKnown) [email, name] = [line.email_hash, line.name_hash]
    return true
  }
}

interface AccountLine extends RejectedLine {
  readonly id: string
  readonly is_put: boolean
  readonly kind: number
  /** 0: the account does not exist. */
  readonly stored_kind: number
}

/** The lines of accounts that are put with different kinds, or with another one than in the database. */
const accountLines = `
  select s.id, s.place, s.is_put, s.kind, coalesce(a.kind, 0) as stored_kind
  from staged_account s left join account a on a.id = s.id
  where s.id in (
    select s.id from staged_account s left join account a on a.id = s.id where s.is_put
    group by s.id, a.kind
    having least(min(s.kind), nullif(a.kind, 0)) <> greatest(max(s.kind), nullif(a.kind, 0))
  )
  order by s.id, s.place`

/** An account keeps its kind until it is deleted. */
function openAccountCheck() {
  let id: string | undefined
  let kind = 0
  return (line: AccountLine): boolean => {
    if (line.id !== id) [id, kind] = [line.id, line.stored_kind]
    if (line.is_put && kind !== 0 && kind !== line.kind) return false
    if (line.is_put) kind = line.kind
    else if (kind === line.kind) kind = 0
    return true
  }
}

const insertRejected = `
  insert into rejected_line select * from unnest($1::bigint[], $2::smallint[])`

/** Moves the lines that are not valid after those before them to the rejected lines, which are not merged. */
async function rejectLines<Line extends RejectedLine>(
  run: Run,
  groups: AsyncIterable<Line[]>,
  isValid: (line: Line) => boolean,
  tables: readonly string[],
): Promise<void> {
  let isAny = false
  for await (const lines of groups) {
    const rejected = lines.filter((line) => !isValid(line))
    if (rejected.length === 0) continue
    isAny = true
    const places = rejected.map(({ place }) => place)
    await run(insertRejected, [places, rejected.map(({ kind }) => kind)])
  }
  if (!isAny) return
  for (const table of tables) {
    await run(`delete from ${table} s using rejected_line r where r.place = s.place`)
  }
}

export function rejectCustomers(run: Run, readGroups: ReadGroups): Promise<void> {
  const lines = readGroups<CustomerLine>(customerLines, groupSize)
  return rejectLines(run, lines, openCustomerCheck(), ['staged_customer'])
}

export function rejectAccounts(run: Run, readGroups: ReadGroups): Promise<void> {
  const lines = readGroups<AccountLine>(accountLines, groupSize)
  return rejectLines(run, lines, openAccountCheck(), ['staged_account', 'staged_holder'])
}

export const rejectedLines = 'select place, kind from rejected_line order by place'

export interface RejectedLine {
  readonly place: string
  /** Null for a customer. */
  readonly kind: number | null
}

export function toRejection({ place, kind }: RejectedLine): LineError {
  const problem = kind === null ? anotherPerson : otherKind(kindName(kind))
  return { ...parsePlace(place), ...problem }
}

/** A row of `unresolvedLines`. */
export interface UnresolvedLine {
  readonly place: string
  /** Of a holder. */
  readonly index: number | null
  /** 0 or null if an account of either kind is valid. */
  readonly kind: number | null
  readonly list: number | null
  readonly account: string
  /** Null unless a holder or a restricted customer does not exist. */
  readonly customer: string | null
}

export function toLineError(line: UnresolvedLine): LineError {
  const { place, index, kind, list, account, customer } = line
  const field = list === listCodes.payment ? 'from.accountId' : 'accountId'
  const problem =
    customer === null
      ? missingAccount(field, kind ? kindName(kind) : undefined, account)
      : missingCustomer(`${index === null ? '' : `holders[${index}].`}customerId`, customer)
  return { ...parsePlace(place), ...problem }
}
