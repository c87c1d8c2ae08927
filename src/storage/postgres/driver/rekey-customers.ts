import type pg from 'pg'
import { emailKey } from '../../../contract/email-key.ts'
import { emailDigest } from '../../digest.ts'
import { escapeNul } from './escape-nul.ts'

/** How many customers are read and written at a time. */
const batchSize = 5000

const read = `select number, record from customer where record is not null and number > $1
  order by number limit ${batchSize}`
const write = `update customer c set email = v.email, email_hash = v.email_hash
  from unnest($1::bigint[], $2::text[], $3::text[]) as v (number, email, email_hash)
  where c.number = v.number`

/**
 * Recomputes the e-mail key of each customer from the address in the record. Of a removed customer only a digest is
 * stored, which cannot be recomputed.
 */
export async function rekeyCustomers(client: pg.ClientBase): Promise<void> {
  let last = '0'
  for (;;) {
    const { rows } = await client.query<{ number: string; record: string }>(read, [last])
    if (rows.length === 0) return
    const emails = rows.map(({ record }) => (JSON.parse(record) as { email: string }).email)
    await client.query(write, [
      rows.map(({ number }) => number),
      emails.map((email) => escapeNul(emailKey(email))),
      emails.map(emailDigest),
    ])
    last = rows.at(-1)?.number ?? last
  }
}
