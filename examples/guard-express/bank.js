/** A small bank with five years of history up to today. The data is invented. */

export const customers = [
  {
    id: 'C1001',
    name: 'Ana Silva',
    givenName: 'Ana',
    familyName: 'Silva',
    email: 'ana.silva@example.com',
    emailVerified: true,
    phoneNumber: '+61491570156',
    phoneNumberVerified: true,
    updatedAt: '2025-03-01T09:00:00+11:00',
    address: {
      streetAddress: '12 Wattle Street',
      locality: 'Hobart',
      region: 'TAS',
      postalCode: '7000',
      country: 'AU',
    },
  },
  {
    id: 'C1002',
    name: 'Ben Okafor',
    givenName: 'Ben',
    familyName: 'Okafor',
    email: 'ben.okafor@example.com',
    emailVerified: true,
    phoneNumber: '+61491570157',
    phoneNumberVerified: false,
    updatedAt: '2025-07-15T17:45:10+10:00',
    address: {
      streetAddress: '12 Wattle Street',
      locality: 'Hobart',
      region: 'TAS',
      postalCode: '7000',
      country: 'AU',
    },
  },
]

/** In order of creation. `holders` has the customers that can see the account, and whether they own it. */
export const accounts = [
  {
    accountId: '20000001',
    holders: { C1001: true, C1002: true },
    creationDate: '2016-02-01T13:00:00Z',
    displayName: 'Household',
    openStatus: 'OPEN',
    accountOwnership: 'TWO_PARTY',
    maskedNumber: 'xxxx0001',
    productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS',
    productName: 'Everyday Account',
    users: [
      { id: 1001, email: 'ana.silva@example.com', isAccountHolder: true },
      { id: 1002, email: 'ben.okafor@example.com', isAccountHolder: true },
    ],
    bsb: 62000,
    accountNumber: 20000001,
  },
  {
    accountId: '20000002',
    holders: { C1001: true },
    creationDate: '2017-05-11T02:30:00Z',
    displayName: 'Holidays',
    openStatus: 'CLOSED',
    accountOwnership: 'ONE_PARTY',
    maskedNumber: 'xxxx0002',
    productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS',
    productName: 'Bonus Saver',
    bsb: 62000,
    accountNumber: 20000002,
  },
  {
    accountId: '40000003',
    holders: { C1001: true },
    creationDate: '2019-08-20T23:10:00Z',
    displayName: 'Visa',
    openStatus: 'OPEN',
    accountOwnership: 'ONE_PARTY',
    maskedNumber: 'xxxx0003',
    productCategory: 'CRED_AND_CHRG_CARDS',
    productName: 'Low Rate Card',
  },
  {
    accountId: '20000004',
    holders: { C1002: true, C1001: false },
    creationDate: '2021-11-02T04:00:00Z',
    displayName: 'Ben’s savings',
    openStatus: 'OPEN',
    accountOwnership: 'ONE_PARTY',
    maskedNumber: 'xxxx0004',
    productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS',
    productName: 'Bonus Saver',
    users: [
      { id: 1002, email: 'ben.okafor@example.com', isAccountHolder: true },
      { id: 1001, email: 'ana.silva@example.com', isAccountHolder: false },
    ],
    bsb: 62000,
    accountNumber: 20000004,
  },
  {
    accountId: '30000005',
    holders: { C1002: true },
    creationDate: '2023-04-17T06:20:00Z',
    displayName: 'Car loan',
    openStatus: 'OPEN',
    accountOwnership: 'ONE_PARTY',
    maskedNumber: 'xxxx0005',
    productCategory: 'PERS_LOANS',
    productName: 'Personal Loan',
  },
]

export const balances = [
  { accountId: '20000001', currentBalance: '4141.02', availableBalance: '4091.12' },
  { accountId: '20000002', currentBalance: '0.00', availableBalance: '0.00' },
  { accountId: '40000003', currentBalance: '-523.10', availableBalance: '3476.90' },
  { accountId: '20000004', currentBalance: '18250.75', availableBalance: '18250.75' },
  { accountId: '30000005', currentBalance: '-9120.00', availableBalance: '0.00' },
]

export const scheduledPayments = [
  schedulePayment('SP-1', '20000001', 'Rent', '1650.00'),
  schedulePayment('SP-2', '20000001', 'Energy', '95.50'),
  schedulePayment('SP-3', '20000002', 'Travel agency', '120.00'),
  schedulePayment('SP-4', '20000004', 'Car loan', '310.00'),
]

export const directDebits = [
  authoriseDebit('20000001', 'Example Water', 53004085616, '62.30'),
  authoriseDebit('20000001', 'Example Energy', 51824753556, '95.50'),
  authoriseDebit('40000003', 'Example Telco', 33051775556, '45.00'),
  authoriseDebit('20000004', 'Example Insurance', 83914571673, '28.75'),
]

/** Relative to today, so that some are in the last twelve months, which are the default time window, and some are older. */
export const transactions = Array.from({ length: 60 }, (_, month) => [
  // The nightly batch posts several at the same time.
  post('20000001', month, '08:00', 'Salary Example Ltd', `${5200 - 10 * month}.00`),
  post('20000001', month, '08:00', 'Rent Wattle Street', '-1650.00', `RENT-${month}`),
  post('20000001', month, '20:15', 'Example Grocer', `-${40 + ((month * 37) % 60)}.${10 + month}`),
  post('40000003', month, '11:30', 'Example Books', `-${10 + (month % 7)}.95`),
  post('20000004', month, '23:59', 'Interest', `${1 + (month % 3)}.07`),
  post('30000005', month, '08:00', 'Repayment', '310.00', `LOAN-${month}`),
])
  .flat()
  .concat({
    accountId: '20000001',
    transactionId: '20000001-pending',
    isDetailAvailable: false,
    type: 'PAYMENT',
    status: 'PENDING',
    description: 'Example Cafe',
    executionDateTime: `${today()}T00:00:00Z`,
    amount: '-4.90',
  })

function post(accountId, monthsAgo, time, description, amount, reference) {
  const day = today().subtract({ months: monthsAgo, days: 1 })
  return {
    accountId,
    transactionId: `${accountId}-${day}-${description.split(' ', 1)}`,
    isDetailAvailable: false,
    type: amount.startsWith('-') ? 'PAYMENT' : 'TRANSFER_INCOMING',
    status: 'POSTED',
    description,
    postingDateTime: `${day}T${time}:00Z`,
    amount,
    reference,
  }
}

function schedulePayment(scheduledPaymentId, accountId, nickname, amount) {
  return {
    scheduledPaymentId,
    nickname,
    payerReference: nickname.toUpperCase(),
    status: 'ACTIVE',
    from: { accountId },
    paymentSet: {
      to: {
        toUType: 'domestic',
        payeeID: `PAYEE-${scheduledPaymentId}`,
        domestic: {
          payeeAccountUType: 'account',
          account: { accountName: nickname, bsb: 63001, accountNumber: 70000001 },
        },
      },
      isAmountCalculated: false,
      amount,
    },
    recurrence: {
      nextPaymentDate: `${today().add({ days: 14 })}T00:00:00Z`,
      reccurenceUType: 'intervalSchedule',
      intervalSchedule: { intervals: [{ interval: 'P1M' }] },
    },
  }
}

function authoriseDebit(accountId, description, abn, lastDebitAmount) {
  return {
    accountId,
    authorisedEntity: { description, financialInstitution: 'Example Bank', abn },
    lastDebitDateTime: `${today().subtract({ days: 9 })}T03:00:00Z`,
    lastDebitAmount,
  }
}

function today() {
  return Temporal.Now.plainDateISO('UTC')
}
