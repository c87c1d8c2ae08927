-- Invented data, with five years of history up to the day on which it is loaded.

insert into cust_mstr values
  ('1001', 'Priya', 'Nair', 'Priya.Nair@example.com', 'Y', '0491570110', 'Y', '8 Banksia Lane', 'Newtown', 'NSW', '2042', '2026-02-01 09:30:00'),
  ('1002', 'Tom', 'Byrne', 'tom.byrne@example.com', 'N', '0491570156', 'Y', '8 Banksia Lane', 'Newtown', 'NSW', '2042', '2025-11-20 16:05:12.5'),
  ('1003', 'Wei', 'Chen', 'wei.chen@example.com', 'N', '0491570157', 'N', '77 Reef Street', 'Cairns', 'QLD', '4870', '2024-07-08 11:00:00');

insert into acct_mstr values
  ('10020001', '062000', 'CHQ01', 'Household', 'AC', '2014-03-03'),
  ('10020002', '062000', 'SAV02', 'Rainy day', 'CL', '2016-10-02'),
  ('30010003', '062000', 'HLV01', 'Home loan', 'AC', '2019-05-20'),
  ('10020004', '062000', 'SAV02', 'Tom saves', 'AC', '2021-01-11'),
  ('40070005', '062000', 'CCL01', 'Card', 'DO', '2022-08-30'),
  ('10020006', '062000', 'CHQ01', 'Wages', 'AC', '2023-02-14');

insert into acct_pty_rel values
  ('10020001', '1001', 'PRI'),
  ('10020001', '1002', 'JNT'),
  ('10020002', '1001', 'PRI'),
  ('30010003', '1001', 'PRI'),
  ('10020004', '1002', 'PRI'),
  ('10020004', '1001', 'SIG'),
  ('40070005', '1002', 'PRI'),
  ('10020006', '1003', 'PRI');

insert into acct_bal values
  ('10020001', 3120.45, 'C', 3099.95, 'C'),
  ('10020002', 0.00, 'C', 0.00, 'C'),
  ('30010003', 412900.00, 'D', 0.00, 'C'),
  ('10020004', 15075.10, 'C', 15075.10, 'C'),
  ('40070005', 88.20, 'D', 4911.80, 'C'),
  ('10020006', 640.00, 'C', 640.00, 'C');

-- The nightly batch posts several entries of an account at the same time.
insert into txn_jrnl
select
  mth * 100 + row_no,
  acct_no,
  (current_date - 2 - mth * interval '1 month') + val_tm,
  (current_date - 1 - mth * interval '1 month') + time '01:15:00',
  cents + step * mth,
  dr_cr_ind,
  txn_cd,
  narr,
  case when has_ref then 'INV' || (7000 + mth) end,
  'N'
from generate_series(0, 59) as mth, (values
  (1, '10020001', time '17:02:11', 498000, 25, 'C', 'CRTR', 'SALARY EXAMPLE PTY LTD', false),
  (2, '10020001', time '09:00:00', 239900, 0, 'D', 'LOAN', 'Home loan 30010003', true),
  (3, '10020001', time '18:44:09', 8315, 41, 'D', 'EFTP', 'Example Grocer, Newtown', false),
  (4, '30010003', time '09:00:00', 239900, 0, 'C', 'CRTR', 'Repayment', true),
  (5, '30010003', time '23:59:59', 180410, 112, 'D', 'INTD', 'Interest charged', false),
  (6, '10020004', time '23:59:59', 2033, 7, 'C', 'INTC', 'Bonus interest', false),
  (7, '40070005', time '12:30:00.25', 1799, 3, 'D', 'EFTP', 'Example Books 100% off_sale', true),
  (8, '10020006', time '10:00:00', 310000, 0, 'C', 'CRTR', 'WAGES', false)
) as pattern (row_no, acct_no, val_tm, cents, step, dr_cr_ind, txn_cd, narr, has_ref);

insert into txn_jrnl values
  (9001, '10020001', (current_date - 1) + time '08:20:00', null, 550, 'D', 'EFTP', 'Example Cafe', null, 'N'),
  (9002, '10020001', (current_date - 1) + time '08:21:00', null, 550, 'D', 'EFTP', 'Example Cafe', null, 'Y');

insert into stnd_ord values
  (501, '10020001', 'Home loan', '062000', '30010003', 239900, 'M', current_date + 12, 'INV', 'A'),
  (502, '10020001', 'Swimming club', '063111', '55501234', 4500, 'W', current_date + 3, null, 'A'),
  (503, '10020002', 'Charity', '063111', '55509876', 2000, 'Q', current_date + 40, null, 'S'),
  (504, '10020004', 'Card', '062000', '40070005', 10000, 'M', current_date + 20, 'CARD', 'A');
