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
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(amount) ?? []
  if (whole === '') return amount
  return sign.replace('-', '−') + whole.replaceAll(/\B(?=(\d{3})+$)/g, ',') + rest
}
