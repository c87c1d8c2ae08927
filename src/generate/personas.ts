/** How the first account of a customer is shared with those who came before. */
export type Sharing =
  | 'alone'
  | 'joint'
  | 'jointNotOwned'
  | 'secondaryUser'
  | 'family'
  | 'organisation'

export interface Persona {
  readonly isOrganisation?: true
  readonly hasNoAccounts?: true
  readonly hasEnergyOnly?: true
  readonly isSoleTrader?: true
  /** Has the e-mail address of the customer before, perhaps in other letters. */
  readonly email?: 'same' | 'capitals'
  readonly shares?: Exclude<Sharing, 'alone'>
}

/**
 * Who the customers are, by turns, so that a few are enough to meet every kind. Each looks back and never
 * ahead: what is made for a customer does not depend on how many follow.
 */
const turns: readonly Persona[] = [
  {},
  { shares: 'joint' },
  {},
  { email: 'capitals' },
  {},
  { isOrganisation: true, shares: 'organisation' },
  { hasNoAccounts: true },
  {},
  { shares: 'secondaryUser' },
  { shares: 'family' },
  { hasEnergyOnly: true },
  {},
  { shares: 'joint', hasEnergyOnly: true },
  { isSoleTrader: true },
  {},
  { isOrganisation: true, shares: 'organisation' },
  {},
  { shares: 'jointNotOwned', email: 'same' },
  {},
  {},
]

export function personaOf(index: number): Persona {
  return turns[index % turns.length] ?? {}
}

/** How many accounts a customer has against the average of all: firms have twice as many. */
export function accountsFactor(index: number): number {
  return accountsWeight(personaOf(index)) / accountsWeightMean
}

function accountsWeight(turn: Persona): number {
  if (turn.hasNoAccounts) return 0
  return turn.isOrganisation ? 2 : 1
}

const accountsWeightMean = turns.reduce((sum, turn) => sum + accountsWeight(turn), 0) / turns.length
