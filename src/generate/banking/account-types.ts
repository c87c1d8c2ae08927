import type { Product } from '../../contract/index.ts'
import { merchant, overdraft, trade, trust } from './account-behaviour/business.ts'
import { loan, margin } from './account-behaviour/lending.ts'
import { savings, termDeposit } from './account-behaviour/saving.ts'
import { card, everyday, instalments, travel } from './account-behaviour/spending.ts'
import type { BehaviourFactory } from './schedule.ts'

/** What a bank sells, and how an account of it lives. */
export interface AccountType {
  readonly category: Product['product_category']
  readonly names: readonly string[]
  /** Dollars that it opens with, from and to: below zero they are lent. */
  readonly opens: readonly [least: number, most: number]
  /** Hundredths of a percent a year, from and to. */
  readonly rates: readonly [least: number, most: number]
  /** Dollars of credit, from and to. Without it a loan has nothing available. */
  readonly limits?: readonly [least: number, most: number]
  /** Entries a year by itself. More are squeezed in only where a history would get too long. */
  readonly yearly: number
  /** Transactions against the average of all accounts. */
  readonly activity: number
  readonly programme: BehaviourFactory
}

const mortgageMonths = 300
const personalLoanMonths = 60
const businessLoanMonths = 120
const leaseMonths = 48

export const accountTypes = {
  everyday: {
    category: 'TRANS_AND_SAVINGS_ACCOUNTS',
    names: ['Everyday Account', 'Streamline Everyday', 'Everyday Plus'],
    opens: [50, 3000],
    rates: [1, 20],
    yearly: 450,
    activity: 1.6,
    programme: everyday,
  },
  savings: {
    category: 'TRANS_AND_SAVINGS_ACCOUNTS',
    names: ['Goal Saver', 'Bonus Saver', 'Young Saver'],
    opens: [500, 20_000],
    rates: [350, 525],
    yearly: 60,
    activity: 0.5,
    programme: savings,
  },
  merchant: {
    category: 'TRANS_AND_SAVINGS_ACCOUNTS',
    names: ['Business Everyday', 'Business Takings'],
    opens: [2000, 40_000],
    rates: [1, 10],
    yearly: 600,
    activity: 1.9,
    programme: merchant,
  },
  card: {
    category: 'CRED_AND_CHRG_CARDS',
    names: ['Low Rate Card', 'Rewards Card', 'Charge Card'],
    opens: [0, 0],
    rates: [1299, 2099],
    limits: [1000, 20_000],
    yearly: 260,
    activity: 1.3,
    programme: card,
  },
  travel: {
    category: 'TRAVEL_CARDS',
    names: ['Globe Card', 'Five Currencies Card'],
    opens: [500, 4000],
    rates: [1, 2],
    yearly: 90,
    activity: 0.6,
    programme: travel,
  },
  instalments: {
    category: 'BUY_NOW_PAY_LATER',
    names: ['Pay in Four'],
    opens: [-400, -60],
    rates: [1, 2],
    limits: [500, 2000],
    yearly: 70,
    activity: 0.4,
    programme: instalments,
  },
  mortgage: {
    category: 'RESIDENTIAL_MORTGAGES',
    names: ['Basic Home Loan', 'Offset Home Loan', 'Investor Home Loan'],
    opens: [-900_000, -250_000],
    rates: [549, 689],
    yearly: 38,
    activity: 0.4,
    programme: loan(mortgageMonths, 'Home loan drawdown', 9900),
  },
  personalLoan: {
    category: 'PERS_LOANS',
    names: ['Personal Loan', 'Green Car Loan'],
    opens: [-40_000, -4000],
    rates: [799, 1499],
    yearly: 32,
    activity: 0.3,
    programme: loan(personalLoanMonths, 'Loan drawdown', 6000),
  },
  businessLoan: {
    category: 'BUSINESS_LOANS',
    names: ['Business Growth Loan', 'Equipment Loan'],
    opens: [-400_000, -30_000],
    rates: [699, 1099],
    yearly: 34,
    activity: 0.3,
    programme: loan(businessLoanMonths, 'Business loan drawdown', 15_000),
  },
  lease: {
    category: 'LEASES',
    names: ['Vehicle Lease', 'Fit-out Lease'],
    opens: [-80_000, -15_000],
    rates: [650, 990],
    yearly: 30,
    activity: 0.25,
    programme: loan(leaseMonths, 'Lease settlement', 4500),
  },
  margin: {
    category: 'MARGIN_LOANS',
    names: ['Margin Loan'],
    opens: [-200_000, -20_000],
    rates: [799, 1049],
    yearly: 50,
    activity: 0.35,
    programme: margin,
  },
  termDeposit: {
    category: 'TERM_DEPOSITS',
    names: ['Term Deposit 12', 'Farm Term Deposit'],
    opens: [5000, 150_000],
    rates: [390, 510],
    yearly: 7,
    activity: 0.06,
    programme: termDeposit,
  },
  overdraft: {
    category: 'OVERDRAFTS',
    names: ['Business Overdraft', 'Everyday Overdraft'],
    opens: [-900, -100],
    rates: [899, 1499],
    limits: [5000, 60_000],
    yearly: 300,
    activity: 1.2,
    programme: overdraft,
  },
  trade: {
    category: 'TRADE_FINANCE',
    names: ['Import Finance'],
    opens: [-250_000, -20_000],
    rates: [750, 1150],
    yearly: 45,
    activity: 0.3,
    programme: trade,
  },
  trust: {
    category: 'REGULATED_TRUST_ACCOUNTS',
    names: ['Solicitor’s Trust Account', 'Agent’s Trust Account'],
    opens: [10_000, 300_000],
    rates: [5, 50],
    yearly: 120,
    activity: 0.6,
    programme: trust,
  },
} as const satisfies Record<string, AccountType>

export type AccountTypeName = keyof typeof accountTypes

export function accountType(name: AccountTypeName): AccountType {
  return accountTypes[name]
}

/** What people and firms have besides their first account, in turns. */
export const personalAccountTypes: readonly AccountTypeName[] = [
  'savings',
  'card',
  'mortgage',
  'savings',
  'personalLoan',
  'termDeposit',
  'card',
  'travel',
  'savings',
  'instalments',
  'everyday',
  'mortgage',
  'margin',
]

export const businessAccountTypes: readonly AccountTypeName[] = [
  'businessLoan',
  'overdraft',
  'card',
  'lease',
  'trade',
  'trust',
]
