import type { DatabaseSync } from 'node:sqlite'
import { emailKey } from '../../../contract/email-key.ts'
import type { Problem } from '../../../contract/index.ts'
import { anotherPerson } from '../../../intake/item-problems.ts'
import type { LineOutcome } from '../../../intake/line-counts.ts'
import type { CustomerItem, RemovalItem } from '../../../intake/writer.ts'
import { digest, emailDigest, toEmailsText } from '../../customer-values.ts'
import { clearCustomer, customerColumns } from '../../owner-columns.ts'
import { replaceColumns } from '../../sql.ts'
import { prepareOn } from '../driver/statements.ts'

interface Row {
  readonly number: number
  readonly email: string | null
  readonly emails: string | null
  readonly record: string | null
  readonly email_hash: string | null
  readonly name_hash: string | null
}

/** Customers, placeholders for customers that a line refers to before they exist, and digests of removed customers. */
export function openCustomerRows(database: DatabaseSync) {
  const { query, command } = prepareOn(database)
  const find = query<Row>(
    'select number, email, emails, record, email_hash, name_hash from customer where id = ?',
  )
  const insertPlaceholder = command('insert into customer (id) values (?)')
  const put = command(`insert into customer (id, ${customerColumns}) values (?, ?, ?, ?, ?)
     on conflict (id) do update set ${replaceColumns(customerColumns)}, email_hash = null, name_hash = null`)
  const putEmail = command('insert or ignore into further_email values (?, ?)')
  const removeEmails = command('delete from further_email where customer = ?')
  const remove = command(`
    update customer set ${clearCustomer}, email_hash = ?, name_hash = ? where number = ?`)

  const findOrCreate = (id: string): number =>
    find.first(id)?.number ?? insertPlaceholder.run(id).rowid

  return {
    findOrCreate,

    put(item: CustomerItem): LineOutcome | Problem {
      const row = find.first(item.id)
      const emails = toEmailsText(item.emails) ?? null
      if (row?.record === item.record && row.emails === emails) return 'unchanged'
      if (row && !isSamePerson(row, item)) return anotherPerson
      put.run(item.id, keyOf(item.email), item.match, emails, item.record)
      if ((row?.emails ?? null) !== emails) {
        const number = findOrCreate(item.id)
        removeEmails.run(number)
        for (const each of item.emails) putEmail.run(number, emailKey(each))
      }
      return row && row.record !== null ? 'changed' : 'created'
    },

    /** Keeps only two digests of the person, to recognise them when the id is used again. */
    remove(id: string, person: RemovalItem['person']): LineOutcome {
      const row = find.first(id)
      if (row?.record) {
        const { email, name } = JSON.parse(row.record) as { email?: string; name: string }
        remove.run(emailDigest(email), digest(name), row.number)
        if (row.emails !== null) removeEmails.run(row.number)
      } else if (person && !row?.email_hash) {
        remove.run(person.email, person.name, findOrCreate(id))
      }
      return row?.record ? 'deleted' : 'unchanged'
    },
  }
}

/**
 * A person may get a new name or a new address, but not both at once. No address is a value like any other. Names are
 * compared byte for byte.
 */
function isSamePerson(row: Row, { email, name }: CustomerItem): boolean {
  if (row.record !== null) {
    const known = JSON.parse(row.record) as { name: string }
    return row.email === keyOf(email) || known.name === name
  }
  if (row.email_hash === null) return true
  return row.email_hash === emailDigest(email) || row.name_hash === digest(name)
}

function keyOf(email: string | undefined): string | null {
  return email === undefined ? null : emailKey(email)
}
