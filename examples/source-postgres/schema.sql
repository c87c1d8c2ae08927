-- The core banking schema of a small bank. Codes have a fixed length and are padded with spaces, amounts have no sign of
-- their own, and times are local times in Sydney.

create table cust_mstr (
  cust_no char(10) primary key,
  gvn_nm varchar(40) not null,
  fam_nm varchar(40) not null,
  email_addr varchar(80) not null,
  email_vrfd_flg char(1) not null check (email_vrfd_flg in ('Y', 'N')),
  mob_no varchar(12) not null,
  mob_vrfd_flg char(1) not null check (mob_vrfd_flg in ('Y', 'N')),
  addr_ln_1 varchar(60) not null,
  suburb_nm varchar(40) not null,
  state_cd char(3) not null,
  post_cd char(4) not null,
  lst_upd_ts timestamp not null
);

create table acct_mstr (
  acct_no char(12) primary key,
  bsb_no char(6) not null,
  prod_cd char(6) not null,
  acct_nm varchar(60) not null,
  acct_stat_cd char(2) not null check (acct_stat_cd in ('AC', 'DO', 'CL')), -- active, dormant, closed
  open_dt date not null
);

create table acct_pty_rel (
  acct_no char(12) not null references acct_mstr,
  cust_no char(10) not null references cust_mstr,
  rel_cd char(3) not null check (rel_cd in ('PRI', 'JNT', 'SIG')), -- primary, joint, signatory
  primary key (acct_no, cust_no)
);
create index acct_pty_rel_x1 on acct_pty_rel (cust_no);

create table acct_bal (
  acct_no char(12) primary key references acct_mstr,
  ldgr_bal numeric(17, 2) not null check (ldgr_bal >= 0),
  ldgr_dr_cr_ind char(1) not null check (ldgr_dr_cr_ind in ('D', 'C')),
  avl_bal numeric(17, 2) not null check (avl_bal >= 0),
  avl_dr_cr_ind char(1) not null check (avl_dr_cr_ind in ('D', 'C'))
);

create table txn_jrnl (
  txn_seq_no bigint primary key,
  acct_no char(12) not null references acct_mstr,
  val_ts timestamp not null,
  post_ts timestamp, -- null until it is posted
  amt_cents bigint not null check (amt_cents >= 0),
  dr_cr_ind char(1) not null check (dr_cr_ind in ('D', 'C')),
  txn_cd char(4) not null,
  narr varchar(100),
  ref_no char(16),
  rvsl_flg char(1) not null check (rvsl_flg in ('Y', 'N')) -- reversed before it was posted
);
create index txn_jrnl_x1 on txn_jrnl (acct_no, (coalesce(post_ts, val_ts) at time zone 'Australia/Sydney'));

create table stnd_ord (
  so_no integer primary key,
  acct_no char(12) not null references acct_mstr,
  payee_nm varchar(40) not null,
  payee_bsb_no char(6) not null,
  payee_acct_no char(12) not null,
  amt_cents bigint not null check (amt_cents >= 0),
  freq_cd char(1) not null check (freq_cd in ('W', 'M', 'Q')), -- weekly, monthly, quarterly
  nxt_pymt_dt date not null,
  pyr_ref char(18),
  stat_cd char(1) not null check (stat_cd in ('A', 'S')) -- active, suspended
);
create index stnd_ord_x1 on stnd_ord (acct_no);
