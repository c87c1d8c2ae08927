import { kindCodes, listCodes } from '../../enum-codes.ts'
import type { Statement } from '../driver/pipeline.ts'

const counts =
  '(select count(*) from customer where record is not null), (select count(*) from account where kind <> 0)'

/** Accounts with an owner, by the customers' numbers. `condition` is SQL. */
const ownedAccounts = (columns: string, condition: string) => `
      select ${columns}
      from customer c join holder h on h.customer = c.number join account a on a.number = h.account
      where c.record is not null and a.kind = ${kindCodes.banking} and h.is_owned and ${condition}
      order by c.number`

/** The number of customers and accounts, and an example: a customer with an account that has transactions. */
export const overview: Statement = {
  name: 'overview',
  isLong: true,
  text: `select ${counts}, example.customer, example.account
    from (select) one left join lateral (${ownedAccounts(
      'c.id as customer, a.id as account',
      `exists (select from entry e where e.account = a.number and e.list = ${listCodes.transaction})`,
    )} limit 1
    ) example on true`,
}

/** In the layout `citus`, the counts, and candidates for the example from $1 on. */
export const candidatesMax = 100
export const countAll: Statement = { name: 'count-all', isLong: true, text: `select ${counts}` }
export const listCandidates: Statement = {
  name: 'list-candidates',
  isLong: true,
  text: `${ownedAccounts(
    `c.id, a.id, a.number, get_shard_id_for_distribution_column('entry', a.number),
      (select s.generation from account_state s where s.account = a.number)`,
    'exists (select from account_state s where s.account = a.number)',
  )}, a.number offset $1::bigint limit ${candidatesMax}`,
}
