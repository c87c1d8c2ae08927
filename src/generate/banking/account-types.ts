import type { Product } from '../../contract/index.ts'
import { merchant, overdraft, trade, trust } from './account-behaviour/business.ts'
import { loan, margin } from './account-behaviour/lending.ts'
import { savings, termDeposit } from './account-behaviour/saving.ts'
import { card, everyday, instalments, travel } from './account-behaviour/spending.ts'
import type { BehaviourFactory } from './schedule.ts'

/** A type of account: the products that offer it, its terms and its behaviour. */
export interface AccountType {
  readonly category: Product['product_category']
  readonly names: readonly string[]
  /** The range of the opening amount; negative for a loan. */
  readonly openingDollars: readonly [min: number, max: number]
  /** The range of the yearly interest rate. */
  readonly rateBasisPoints: readonly [min: number, max: number]
  /** The range of the credit limit. A loan without one has nothing available. */
  readonly limitDollars?: readonly [min: number, max: number]
  /** The usual number per year. Exceeded only if the history would become too long. */
  readonly entriesPerYear: number
  /** The number of transactions relative to the average account. */
  readonly activity: number
  readonly createBehaviour: BehaviourFactory
}

export const accountTypes = {
  everyday: {
    category: 'TRANS_AND_SAVINGS_ACCOUNTS',
    names: ['Everyday Account', 'Streamline Everyday', 'Everyday Plus'],
    openingDollars: [50, 3000],
    rateBasisPoints: [1, 20],
    entriesPerYear: 450,
    activity: 1.6,
    createBehaviour: everyday,
  },
  savings: {
    category: 'TRANS_AND_SAVINGS_ACCOUNTS',
    names: ['Goal Saver', 'Bonus Saver', 'Young Saver'],
    openingDollars: [500, 20_000],
    rateBasisPoints: [350, 525],
    entriesPerYear: 60,
    activity: 0.5,
    createBehaviour: savings,
  },
  merchant: {
    category: 'TRANS_AND_SAVINGS_ACCOUNTS',
    names: ['Business Everyday', 'Business Takings'],
    openingDollars: [2000, 40_000],
    rateBasisPoints: [1, 10],
    entriesPerYear: 600,
    activity: 1.9,
    createBehaviour: merchant,
  },
  card: {
    category: 'CRED_AND_CHRG_CARDS',
    names: ['Low Rate Card', 'Rewards Card', 'Charge Card'],
    openingDollars: [0, 0],
    rateBasisPoints: [1299, 2099],
    limitDollars: [1000, 20_000],
    entriesPerYear: 260,
    activity: 1.3,
    createBehaviour: card,
  },
  travel: {
    category: 'TRAVEL_CARDS',
    names: ['Globe Card', 'Five Currencies Card'],
    openingDollars: [500, 4000],
    rateBasisPoints: [1, 2],
    entriesPerYear: 90,
    activity: 0.6,
    createBehaviour: travel,
  },
  instalments: {
    category: 'BUY_NOW_PAY_LATER',
    names: ['Pay in Four'],
    openingDollars: [-400, -60],
    rateBasisPoints: [1, 2],
    limitDollars: [500, 2000],
    entriesPerYear: 70,
    activity: 0.4,
    createBehaviour: instalments,
  },
  mortgage: {
    category: 'RESIDENTIAL_MORTGAGES',
    names: ['Basic Home Loan', 'Offset Home Loan', 'Investor Home Loan'],
    openingDollars: [-900_000, -250_000],
    rateBasisPoints: [549, 689],
    entriesPerYear: 38,
    activity: 0.4,
    createBehaviour: loan(300, 'Home loan drawdown', 9900),
  },
  personalLoan: {
    category: 'PERS_LOANS',
    names: ['Personal Loan', 'Green Car Loan'],
    openingDollars: [-40_000, -4000],
    rateBasisPoints: [799, 1499],
    entriesPerYear: 32,
    activity: 0.3,
    createBehaviour: loan(60, 'Loan drawdown', 6000),
  },
  businessLoan: {
    category: 'BUSINESS_LOANS',
    names: ['Business Growth Loan', 'Equipment Loan'],
    openingDollars: [-400_000, -30_000],
    rateBasisPoints: [699, 1099],
    entriesPerYear: 34,
    activity: 0.3,
    createBehaviour: loan(120, 'Business loan drawdown', 15_000),
  },
  lease: {
    category: 'LEASES',
    names: ['Vehicle Lease', 'Fit-out Lease'],
    openingDollars: [-80_000, -15_000],
    rateBasisPoints: [650, 990],
    entriesPerYear: 30,
    activity: 0.25,
    createBehaviour: loan(48, 'Lease settlement', 4500),
  },
  margin: {
    category: 'MARGIN_LOANS',
    names: ['Margin Loan'],
    openingDollars: [-200_000, -20_000],
    rateBasisPoints: [799, 1049],
    entriesPerYear: 50,
    activity: 0.35,
    createBehaviour: margin,
  },
  termDeposit: {
    category: 'TERM_DEPOSITS',
    names: ['Term Deposit 12', 'Farm Term Deposit'],
    openingDollars: [5000, 150_000],
    rateBasisPoints: [390, 510],
    entriesPerYear: 7,
    activity: 0.06,
    createBehaviour: termDeposit,
  },
  overdraft: {
    category: 'OVERDRAFTS',
    names: ['Business Overdraft', 'Everyday Overdraft'],
    openingDollars: [-900, -100],
    rateBasisPoints: [899, 1499],
    limitDollars: [5000, 60_000],
    entriesPerYear: 300,
    activity: 1.2,
    createBehaviour: overdraft,
  },
  trade: {
    category: 'TRADE_FINANCE',
    names: ['Import Finance'],
    openingDollars: [-250_000, -20_000],
    rateBasisPoints: [750, 1150],
    entriesPerYear: 45,
    activity: 0.3,
    createBehaviour: trade,
  },
  trust: {
    category: 'REGULATED_TRUST_ACCOUNTS',
    names: ['Solicitor’s Trust Account', 'Agent’s Trust Account'],
    openingDollars: [10_000, 300_000],
    rateBasisPoints: [5, 50],
    entriesPerYear: 120,
    activity: 0.6,
    createBehaviour: trust,
  },
} as const satisfies Record<string, AccountType>

export type AccountTypeName = keyof typeof accountTypes

export function getAccountType(name: AccountTypeName): AccountType {
  return accountTypes[name]
}

/** The accounts after the first, in order of assignment. */
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
