/** How the first account of a customer is shared with the preceding customers. */
export type Sharing =
  | 'alone'
  | 'joint'
  | 'jointNotOwned'
  | 'secondaryUser'
  | 'family'
  | 'organisation'

interface Persona {
  readonly isOrganisation?: true
  readonly hasNoAccounts?: true
  readonly hasEnergyOnly?: true
  readonly isSoleTrader?: true
  /** Shares the e-mail address of the preceding customer, unchanged or in capitals. */
  readonly email?: 'same' | 'capitals'
  readonly shares?: Exclude<Sharing, 'alone'>
}

/**
 * The personas repeat in this order, so that a small data set contains every kind. A persona refers only to preceding
 * customers: the data of a customer does not depend on how many follow.
 */
const personas: readonly Persona[] = [
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

export function getPersona(index: number): Persona {
  return personas[index % personas.length] ?? {}
}

/** The customer's number of accounts relative to the average: organisations have twice as many. */
export function getAccountsFactor(index: number): number {
  return accountsWeight(getPersona(index)) / accountsWeightMean
}

function accountsWeight(persona: Persona): number {
  if (persona.hasNoAccounts) return 0
  return persona.isOrganisation ? 2 : 1
}

const accountsWeightMean =
  personas.reduce((sum, persona) => sum + accountsWeight(persona), 0) / personas.length
