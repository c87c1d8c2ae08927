-- The holders of an account are one JSON value, so that each account is one row.
select
  account_no,
  product,
  opened_on,
  closed_on is not null as is_closed,
  ledger_cents,
  available_cents,
  (
    select jsonb_agg(jsonb_build_object('party', party_id, 'owns', relationship = 'OWNER') order by party_id)
    from account_party
    where account_party.account_no = account.account_no
  ) as holders
from account
