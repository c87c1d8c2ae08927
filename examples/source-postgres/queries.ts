/**
 * Each query is one statement with one row: whether the customer and the accounts exist, how many records match, and the
 * records of the page. So a page and its total are of the same moment, and no page needs a query for each record.
 */

const zone = `'Australia/Sydney'`

/** Spaces at the end of a char(n) are not significant: without the second comparison, `1001 ` would be another id of 1001. */
const equals = (column: string, parameter: string) =>
  `(${column} = ${parameter}::text::bpchar and ${column}::text = ${parameter}::text)`

/** $1 is the customer. A signatory can see an account and does not own it. */
const held = `
  customer as (select cust_no from cust_mstr where ${equals('cust_no', '$1')}),
  held as (
    select acct_mstr.*, acct_no::text as id, rel_cd <> 'SIG' as is_owned
    from customer join acct_pty_rel using (cust_no) join acct_mstr using (acct_no)
  )`

/** The accounts that the parameter names, in its order. Those that the customer does not hold have no `acct_no`. */
const named = (parameter: string) => `
  ${held},
  named as (
    select held.*, ordinal
    from unnest(${parameter}::text[]) with ordinality as requested (id, ordinal)
      left join held using (id)
  )`

const exists = `exists (select from customer) as has_customer`
const allExist = `${exists}, not exists (select from named where acct_no is null) as has_accounts`

/** $4 is the status, $5 the ownership and $6 the products of the category. */
const accountFilters = `
  ($4::text = 'ALL' or ($4::text = 'CLOSED') = (acct_stat_cd = 'CL'))
  and ($5::boolean is null or is_owned = $5::boolean)
  and ($6::text[] is null or prod_cd::text = any ($6::text[]))`

const signed = (amount: string, indicator: string) =>
  `(case ${indicator} when 'D' then -1 else 1 end * ${amount})`

/** $2 is the size of the page, $3 the number of records before it. */
const page = (order: string) => `
  page as (select * from matching order by ${order} limit $2::bigint offset $3::bigint)`
const answer = (order: string, from = 'page') => `
  (select count(*)::integer from matching) as total,
  (select coalesce(json_agg(${from} order by ${order}), '[]') from ${from}) as records`

const accountOrder = 'open_dt, id'

export const listAccounts = `
  with ${held},
  matching as (select * from held where ${accountFilters}),
  ${page(accountOrder)},
  detailed as (
    select page.*, open_dt::timestamp at time zone ${zone} as opened_at, users
    from page cross join lateral (
      select json_agg(
        json_build_object('no', cust_no::text, 'email', email_addr, 'owns', rel_cd <> 'SIG')
        order by rel_cd = 'SIG', cust_no
      ) as users
      from acct_pty_rel join cust_mstr using (cust_no)
      where acct_pty_rel.acct_no = page.acct_no
    ) as related
  )
  select ${exists}, ${answer(accountOrder, 'detailed')}`

export const listBalances = `
  with ${named('$7')},
  matching as (
    select id, ordinal,
      ${signed('ldgr_bal', 'ldgr_dr_cr_ind')}::text as ledger,
      ${signed('avl_bal', 'avl_dr_cr_ind')}::text as available
    from named left join acct_bal using (acct_no)
    where ${accountFilters}
  ),
  ${page('ordinal')}
  select ${allExist}, not exists (select from matching where ledger is null) as has_balances,
    ${answer('ordinal')}`

export const listStandingOrders = `
  with ${named('$7')},
  matching as (
    select stnd_ord.*, id, ordinal, trim(payee_acct_no) as payee_no, trim(pyr_ref) as reference,
      (amt_cents / 100.0)::numeric(17, 2)::text as amount,
      nxt_pymt_dt::timestamp at time zone ${zone} as next_at
    from named join stnd_ord using (acct_no)
    where ${accountFilters}
  ),
  ${page('ordinal, so_no')}
  select ${allExist}, ${answer('ordinal, so_no')}`

const newestFirst = 'effective_at desc, txn_seq_no'

/**
 * $5 and $6 are the time window in microseconds since 1970, $7 and $8 the amounts, $9 the text. A column that is `numeric` is
 * compared exactly, and `position` has no wildcards.
 */
export const listTransactions = `
  with ${named('$4')},
  journal as (
    select txn_jrnl.*, id, trim(ref_no) as reference,
      coalesce(post_ts, val_ts) at time zone ${zone} as effective_at,
      (${signed('amt_cents', 'dr_cr_ind')} / 100.0)::numeric(17, 2) as amount
    from named join txn_jrnl using (acct_no)
    where rvsl_flg = 'N'
  ),
  matching as (
    select txn_seq_no::text as no, txn_seq_no, id, txn_cd, narr, reference, effective_at,
      post_ts is not null as is_posted, amount::text as amount
    from journal
    where effective_at between timestamptz 'epoch' + $5::float8 * interval '1 microsecond'
        and timestamptz 'epoch' + $6::float8 * interval '1 microsecond'
      and ($7::numeric is null or amount >= $7::numeric)
      and ($8::numeric is null or amount <= $8::numeric)
      and (position(lower($9::text) in lower(coalesce(narr, ''))) > 0
        or position(lower($9::text) in lower(coalesce(reference, ''))) > 0)
  ),
  ${page(newestFirst)}
  select ${allExist}, ${answer(newestFirst)}`

const customerFields = `
  cust_no::text as no, gvn_nm, fam_nm, email_addr, email_vrfd_flg, mob_no, mob_vrfd_flg, addr_ln_1, suburb_nm,
  trim(state_cd) as state, trim(post_cd) as postcode, to_json(lst_upd_ts at time zone ${zone}) as updated_at`

export const findCustomer = `select ${customerFields} from cust_mstr where ${equals('cust_no', '$1')}`

export const findCustomersByEmail = `
  select ${customerFields} from cust_mstr where lower(email_addr) = lower($1) order by cust_no`

/** The people of an account; the customer of the request is one of them. */
export const listParties = `
  with ${named('$2')}
  select ${allExist}, (
    select coalesce(json_agg(party order by rel_cd = 'SIG', no), '[]') from (
      select rel_cd, ${customerFields}
      from named join acct_pty_rel using (acct_no) join cust_mstr using (cust_no)
    ) as party
  ) as records`
