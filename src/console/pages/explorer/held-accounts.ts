import type { AccountProps } from './account-props.ts'
import { callProvider } from './calls.ts'

/** As many as one request returns. */
const accountsMax = 1000

export interface HeldAccount {
  readonly id: string
  readonly kind: AccountProps['kind']
  readonly name: string
  /** The product category or the type of fuel, if the provider states it. */
  readonly type: string | undefined
  readonly number: string | undefined
  readonly isOpen: boolean
  /** Whether the customer can choose it in a consent. */
  readonly isShareable: boolean
}

/** The accounts that the customer holds, those that can be shared first. */
export async function listHeldAccounts(
  customerId: string,
  signal: AbortSignal,
): Promise<HeldAccount[]> {
  const params = { customerId }
  const query = { 'page-size': accountsMax }
  const [{ accounts: shareable }, banking, energy] = await Promise.all([
    callProvider({ operation: 'listShareableAccounts', params }, signal),
    callProvider({ operation: 'listBankingAccounts', params, query }, signal),
    callProvider({ operation: 'listEnergyAccounts', params, query }, signal),
  ])
  const places = new Map(shareable.map(({ id }, index) => [id, index]))
  const held = [
    ...banking.data.accounts.map(({ maskedNumber: number, ...account }) => ({
      ...account,
      kind: 'banking' as const,
      number,
    })),
    ...energy.data.accounts.map(({ accountNumber: number, ...account }) => ({
      ...account,
      kind: 'energy' as const,
      number,
    })),
  ]
  return held
    .map(({ accountId: id, kind, number, displayName, openStatus }) => {
      const listed = shareable[places.get(id) ?? -1]
      return {
        ...{ id, kind, number },
        name: listed?.displayName || listed?.name || displayName || id,
        type: listed?.type,
        isOpen: openStatus !== 'CLOSED',
        isShareable: listed !== undefined,
      }
    })
    .sort((a, b) => (places.get(a.id) ?? held.length) - (places.get(b.id) ?? held.length))
}
