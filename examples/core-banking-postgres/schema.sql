-- A small core banking schema with data. Amounts are cents, credits and debits have a sign of their own.

create table party (
  party_id integer primary key,
  full_name text not null,
  email text,
  changed_at timestamptz not null
);

create table account (
  account_no text primary key,
  product char(3) not null,
  opened_on date not null,
  closed_on date,
  ledger_cents bigint not null,
  available_cents bigint not null
);

create table account_party (
  account_no text not null references account,
  party_id integer not null references party,
  relationship text not null check (relationship in ('OWNER', 'SIGNATORY')),
  primary key (account_no, party_id)
);

create table posting (
  posting_id bigint primary key,
  account_no text not null references account,
  booked_at timestamptz,
  created_at timestamptz not null,
  side char(1) not null check (side in ('D', 'C')),
  cents bigint not null check (cents >= 0),
  kind text not null,
  narrative text
);

insert into party values
  (1, 'Ana Silva', 'ana.silva@example.com', '2026-03-01 09:00:00+11'),
  (2, 'Jo Silva', 'jo.silva@example.com', '2026-03-01 09:05:00+11'),
  (3, 'Kim Nguyen', 'kim.nguyen@example.com', '2026-07-15 17:45:10.25+10');

insert into account values
  ('062-100-1', 'SAV', '2019-03-14', null, 184025, 179025),
  ('062-100-2', 'CRD', '2021-06-01', null, -52310, -52310),
  ('062-100-3', 'SAV', '2016-01-04', '2024-12-31', 0, 0);

insert into account_party values
  ('062-100-1', 1, 'OWNER'),
  ('062-100-1', 2, 'SIGNATORY'),
  ('062-100-2', 1, 'OWNER'),
  ('062-100-3', 3, 'OWNER');

insert into posting
select
  i,
  case when i % 3 = 0 then '062-100-2' else '062-100-1' end,
  case when i > 1198 then null else timestamptz '2026-09-01 06:00:00+10' + i * interval '97 minutes' end,
  timestamptz '2026-09-01 05:59:00+10' + i * interval '97 minutes',
  case when i % 10 = 0 then 'C' else 'D' end,
  100 + (i * 37) % 9000,
  case when i % 10 = 0 then 'TRANSFER' when i % 7 = 0 then 'FEE' else 'CARD' end,
  case when i % 7 = 0 then null else 'Payment ' || i end
from generate_series(1, 1200) as i;
