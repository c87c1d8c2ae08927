import { kindCodes } from '../../enum-codes.ts'

/** The accounts that a load put, or deleted a balance or a contact of. A rollback removes those of the same transaction. */
export const createLoadedAccounts = `
  create temp table loaded_account (account bigint not null);`

/** After the merge of accounts. */
export const storeLoadedAccounts = `
  insert into loaded_account
  select a.number from account_effect w join account a on a.id = w.id where w.is_last and w.kind <> 0
  union all
  select a.number from staged_part s join account a on a.id = s.account where not s.is_put`

export const countGaps = `
  select count(*) filter (where a.kind = ${kindCodes.banking} and b.account is null) as without_balance,
    count(*) filter (where c.account is null) as without_contact
  from (select distinct account from loaded_account) l
  join account a on a.number = l.account left join balance b on b.account = l.account
  left join contact c on c.account = l.account
  where a.kind <> 0`
