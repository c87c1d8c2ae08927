import { kindCodes } from './enum-codes.ts'

/**
 * Counts the gaps of accounts in the temporary table `loaded_account`: those that a load put, or deleted a balance or a
 * contact of. A rollback removes the ones of the same transaction.
 */
export const countGaps = `
  select count(*) filter (where a.kind = ${kindCodes.banking} and b.account is null) as "withoutBalance",
    count(*) filter (where c.account is null) as "withoutContact"
  from (select distinct account from loaded_account) l
  join account a on a.number = l.account left join balance b on b.account = l.account
  left join contact c on c.account = l.account
  where a.kind <> 0`
