import type { ShareableAccount } from '../../../contract/index.ts'

/** The groups of accounts on the page, by the `type` of C2. */
const groups: readonly {
  readonly type: string
  readonly kind: 'banking' | 'energy'
  readonly name: string
}[] = [
  { type: 'TRANS_AND_SAVINGS_ACCOUNTS', kind: 'banking', name: 'Transaction and savings accounts' },
  { type: 'TERM_DEPOSITS', kind: 'banking', name: 'Term deposits' },
  { type: 'CRED_AND_CHRG_CARDS', kind: 'banking', name: 'Credit and charge cards' },
  { type: 'TRAVEL_CARDS', kind: 'banking', name: 'Travel cards' },
  { type: 'RESIDENTIAL_MORTGAGES', kind: 'banking', name: 'Home loans' },
  { type: 'PERS_LOANS', kind: 'banking', name: 'Personal loans' },
  { type: 'BUSINESS_LOANS', kind: 'banking', name: 'Business loans' },
  { type: 'BUY_NOW_PAY_LATER', kind: 'banking', name: 'Buy now, pay later' },
  { type: 'MARGIN_LOANS', kind: 'banking', name: 'Margin loans' },
  { type: 'OVERDRAFTS', kind: 'banking', name: 'Overdrafts' },
  { type: 'LEASES', kind: 'banking', name: 'Leases' },
  { type: 'TRADE_FINANCE', kind: 'banking', name: 'Trade finance' },
  { type: 'REGULATED_TRUST_ACCOUNTS', kind: 'banking', name: 'Trust accounts' },
  { type: 'ELECTRICITY', kind: 'energy', name: 'Electricity' },
  { type: 'GAS', kind: 'energy', name: 'Gas' },
  { type: 'DUAL', kind: 'energy', name: 'Electricity and gas' },
]

const otherGroup = 'Other accounts'

export interface AccountGroup {
  readonly name: string
  readonly accounts: readonly ShareableAccount[]
}

/** In the order of the table above; accounts keep their order. */
export function groupAccounts(accounts: readonly ShareableAccount[]): AccountGroup[] {
  const found = groups.map(({ type, name }) => ({
    name,
    accounts: accounts.filter((account) => account.type === type),
  }))
  const others = accounts.filter(({ type }) => !groups.some((group) => group.type === type))
  return [...found, { name: otherGroup, accounts: others }].filter(
    (group) => group.accounts.length > 0,
  )
}

/** Undefined if the provider does not say. */
export function findAccountKind({ type }: ShareableAccount): 'banking' | 'energy' | undefined {
  return groups.find((group) => group.type === type)?.kind
}
