export const createLoadedAccounts = `
  create temp table loaded_account (account bigint not null);`

/** After the merge of accounts. */
export const storeLoadedAccounts = `
  insert into loaded_account
  select a.number from account_effect w join account a on a.id = w.id where w.is_last and w.kind <> 0
  union all
  select a.number from staged_part s join account a on a.id = s.account where not s.is_put`
