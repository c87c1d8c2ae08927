import { formatNumber } from '../../contract/product-units.ts'

/** An exact decimal string with its currency: grouped, never rounded. */
export function Money({
  amount,
  currency = 'AUD',
}: {
  readonly amount: string
  readonly currency?: string | undefined
}) {
  return <span class="number">{`${groupDigits(amount)} ${currency}`}</span>
}

export function groupDigits(amount: string): string {
  return formatNumber(amount) ?? amount
}
