/** Whether a third party gets the data of an account of a consent. */
export const accountStates = [
  'available',
  'closed',
  'restricted',
  'no_longer_held',
  'removed',
] as const
export type AccountState = (typeof accountStates)[number]

/** Why an account has its state, and what that means. */
export const accountReasonDescriptions = {
  chosen: 'the customer chose the account',
  open: 'the provider lists the account as open',
  served: 'the provider lists the account, or returned data of it',
  closed: 'the provider lists the account as closed',
  account_refused: 'the provider refuses to share the account',
  customer_refused: 'the provider refuses to share all data of the customer',
  account_unknown: 'the provider does not know the account for the customer',
  customer_unknown: 'the provider does not know the customer',
  amended: 'the customer left the account out of an amendment',
} as const
export type AccountReason = keyof typeof accountReasonDescriptions
export const accountReasons = Object.keys(accountReasonDescriptions) as readonly AccountReason[]

/** How many changes of the state of each account are kept. */
export const accountChangesMax = 20
