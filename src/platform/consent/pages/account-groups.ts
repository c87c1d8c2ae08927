import type { ShareableAccount } from '../../../contract/index.ts'

/** The names of the groups of accounts on the page, in their order, by the `type` of C2. */
const groups = {
  banking: {
    TRANS_AND_SAVINGS_ACCOUNTS: 'Transaction and savings accounts',
    TERM_DEPOSITS: 'Term deposits',
    CRED_AND_CHRG_CARDS: 'Credit and charge cards',
    TRAVEL_CARDS: 'Travel cards',
    RESIDENTIAL_MORTGAGES: 'Home loans',
    PERS_LOANS: 'Personal loans',
    BUSINESS_LOANS: 'Business loans',
    BUY_NOW_PAY_LATER: 'Buy now, pay later',
    MARGIN_LOANS: 'Margin loans',
    OVERDRAFTS: 'Overdrafts',
    LEASES: 'Leases',
    TRADE_FINANCE: 'Trade finance',
    REGULATED_TRUST_ACCOUNTS: 'Trust accounts',
  },
  energy: { ELECTRICITY: 'Electricity', GAS: 'Gas', DUAL: 'Electricity and gas' },
}

const otherGroup = 'Other accounts'

interface Typed {
  readonly type?: ShareableAccount['type'] | undefined
}

/** Accounts keep their order. */
export function groupAccounts<Account extends Typed>(accounts: readonly Account[]) {
  const names = new Map(Object.values(groups).flatMap((each) => Object.entries<string>(each)))
  const nameGroup = ({ type }: Typed) => names.get(type ?? '') ?? otherGroup
  return [...names.values(), otherGroup]
    .map((name) => ({ name, accounts: accounts.filter((each) => nameGroup(each) === name) }))
    .filter((group) => group.accounts.length > 0)
}

/** Undefined if the provider does not say. */
export function findAccountKind({ type }: Typed): 'banking' | 'energy' | undefined {
  return (['banking', 'energy'] as const).find((kind) => Object.hasOwn(groups[kind], type ?? ''))
}
