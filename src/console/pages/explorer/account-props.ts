import type { BankingBalance } from '../../../contract/index.ts'

/** What the parts of the view need. */
export interface AccountProps {
  readonly kind: 'banking' | 'energy'
  readonly customerId: string
  readonly accountId: string
  readonly query: URLSearchParams
  /** Of a bank account. */
  readonly balance?: BankingBalance | undefined
}
