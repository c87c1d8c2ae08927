import { kindCodes, listCodes } from '../../enum-codes.ts'
import type { Statement } from '../driver/pipeline.ts'

/** The number of customers and accounts, and an example: a customer with an account that has transactions. */
export const overview: Statement = {
  name: 'overview',
  isLong: true,
  text: `select (select count(*) from customer where record is not null), (select count(*) from account),
      example.customer, example.account
    from (select) one left join lateral (
      select c.id as customer, a.id as account
      from customer c join holder h on h.customer = c.number join account a on a.number = h.account
      where c.record is not null and a.kind = ${kindCodes.banking} and h.is_owned
        and exists (select from entry e where e.account = a.number and e.list = ${listCodes.transaction})
      order by c.number limit 1
    ) example on true`,
}
