import type { BankingAccount, BankingAccountV3 } from '../records/banking-account.ts'
import type { BankingBalance, BankingTransaction } from '../records/banking-history.ts'
import type { DirectDebit, ScheduledPayment } from '../records/banking-payments.ts'

export const bankingAccount: BankingAccount = {
  accountId: 'acc-4711',
  creationDate: '2019-03-14T02:30:00Z',
  displayName: 'Everyday Saver',
  nickname: 'Holiday money',
  openStatus: 'OPEN',
  isOwned: true,
  accountOwnership: 'ONE_PARTY',
  maskedNumber: 'xxxx xxxx 5678',
  productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS',
  productName: 'Everyday Saver',
  complexAccountType: 'INDIVIDUAL',
  users: [{ id: 1, email: 'ana.silva@example.com', isAccountHolder: true }],
  bsb: 62000,
  accountNumber: 12345678,
  bundleName: 'Everyday bundle',
  depositRate: 0.035,
  lendingRate: 0.129,
  depositRates: [
    {
      depositRateType: 'VARIABLE',
      rate: 0.035,
      calculationFrequency: 'P1D',
      applicationFrequency: 'P1M',
      applicationType: 'PERIODIC',
      additionalInfo: 'Paid on the first of the month',
      applicabilityConditions: [
        {
          rateApplicabilityType: 'MIN_DEPOSITS',
          additionalValue: '1',
          additionalInfo: 'One deposit a month',
        },
      ],
      tiers: [
        {
          name: 'Up to fifty thousand',
          unitOfMeasure: 'DOLLAR',
          minimumValue: '0',
          maximumValue: '50000',
          rateApplicationMethod: 'PER_TIER',
        },
      ],
    },
  ],
  lendingRates: {
    lendingRateType: 'VARIABLE',
    rate: 0.129,
    comparisonRate: 0.131,
    calculationFrequency: 'P1D',
    applicationFrequency: 'P1M',
    applicationType: 'PERIODIC',
    additionalInfo: 'On the overdrawn balance',
    repaymentType: 'PRINCIPAL_AND_INTEREST',
    loanPurpose: 'OTHER',
  },
  features: [
    { featureType: 'NPP_PAYID', additionalInfo: 'Pay by phone number', isActivated: 'ACTIVATED' },
  ],
  fees: [
    {
      name: 'Account keeping',
      feeType: 'PERIODIC',
      feeMethodUType: 'fixedAmount',
      fixedAmount: { amount: '4.00' },
      additionalValue: 'P1M',
      discounts: [
        {
          description: 'Students pay nothing',
          discountType: 'ELIGIBILITY_ONLY',
          discountMethodUType: 'rateBased',
          rateBased: { rateType: 'FEE', rate: 1 },
          eligibility: [{ discountEligibilityType: 'STUDENT' }],
        },
      ],
    },
  ],
  addresses: [
    {
      addressUType: 'simple',
      simple: {
        mailingName: 'Ana Silva',
        addressLine1: '12 Wattle Street',
        city: 'Ballarat',
        postcode: 3350,
        state: 'VIC',
        country: 'AUS',
      },
    },
  ],
}

export const bankingAccountV3: BankingAccountV3 = {
  accountId: 'acc-4712',
  creationDate: '2018-07-01T00:00:00+10:00',
  displayName: 'Term Saver',
  openStatus: 'OPEN',
  accountOwnership: 'TWO_PARTY',
  productCategory: 'TERM_DEPOSITS',
  productName: 'Term Saver',
  users: [
    { id: 1, email: 'ana.silva@example.com', isAccountHolder: true },
    { id: 2, email: 'jo.silva@example.com', isAccountHolder: true },
  ],
  depositRates: [
    {
      depositRateType: 'FIXED',
      rate: 0.042,
      additionalValue: 'P1Y',
      tiers: [
        {
          name: 'From five thousand',
          unitOfMeasure: 'DOLLAR',
          minimumValue: 5000,
          maximumValue: 250000.5,
          rateApplicationMethod: 'WHOLE_BALANCE',
          applicabilityConditions: { additionalInfo: 'New money only' },
        },
      ],
    },
  ],
  features: [{ featureType: 'NOTIFICATIONS', isActivated: true }],
  fees: [
    {
      name: 'Early withdrawal',
      feeType: 'VARIABLE',
      additionalInfo: 'Depends on how early',
    },
    {
      name: 'Paper statement',
      feeType: 'EVENT',
      amount: '2.50',
      discounts: [{ description: 'Half price', discountType: 'BALANCE', feeRate: 0.5 }],
    },
    {
      name: 'Overdrawn',
      feeType: 'EVENT',
      accruedRate: '0.01',
      accrualFrequency: 'P1D',
      additionalInfo: 'On the shortfall',
    },
  ],
}

export const bankingBalance: BankingBalance = {
  accountId: 'acc-4711',
  currentBalance: '1840.25',
  availableBalance: '1790.25',
}

export const bankingTransaction: BankingTransaction = {
  accountId: 'acc-4711',
  transactionId: 'txn-2025-0001',
  isDetailAvailable: false,
  type: 'PAYMENT',
  status: 'POSTED',
  description: 'Corner Bakery Ballarat',
  postingDateTime: '2025-03-31T09:30:00Z',
  amount: '-12.50',
  reference: 'Card 1234',
}

export const scheduledPayment: ScheduledPayment = {
  scheduledPaymentId: 'pay-301',
  nickname: 'Rent',
  payerReference: 'Rent 12 Wattle St',
  status: 'ACTIVE',
  from: { accountId: 'acc-4711' },
  paymentSet: {
    to: {
      toUType: 'accountId',
      accountId: 'acc-9000',
      payeeID: 'payee-17',
      domestic: {
        payeeAccountUType: 'account',
        account: { accountName: 'Wattle Realty Trust', bsb: 62001, accountNumber: 87654321 },
      },
    },
    isAmountCalculated: false,
    amount: '420.00',
  },
  recurrence: {
    nextPaymentDate: '2025-04-07T00:00:00+10:00',
    reccurenceUType: 'intervalSchedule',
    intervalSchedule: { intervals: [{ interval: 'P7D' }] },
  },
}

export const directDebit: DirectDebit = {
  accountId: 'acc-4711',
  authorisedEntity: {
    description: 'Goldfields Gym',
    financialInstitution: 'Example Bank',
    abn: 51824753556,
    acn: 4085616,
  },
  lastDebitDateTime: '2025-03-15T03:00:00Z',
  lastDebitAmount: '59.90',
}
