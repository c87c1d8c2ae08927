/** How people write the values that a product stores as decimals and durations. All of it is exact. */

/** As the contract defines decimals. Longer texts are not formatted. */
const decimal = /^(-?)(\d{1,32})(?:\.(\d{1,32}))?$/
/** The percentages of decimals. */
const percentage = /^(-?)(\d{1,34})(?:\.(\d{1,30}))?$/

/** `0.0450` as "4.50". Undefined unless the text is a decimal. */
export function toPercent(fraction: string): string | undefined {
  const [, sign = '', whole = '', places = ''] = decimal.exec(fraction) ?? []
  if (whole === '') return undefined
  const padded = places.padEnd(2, '0')
  const digits = `${whole}${padded.slice(0, 2)}`.replace(/^0+(?=\d)/, '')
  const rest = padded.slice(2)
  return `${sign}${digits}${rest && `.${rest}`}`
}

/** `4.50` or `4.50 %` as "0.0450". Undefined unless it is a number. */
export function fromPercent(text: string): string | undefined {
  const [, sign = '', whole = '', places = ''] = percentage.exec(text.replace(/ ?%$/, '')) ?? []
  if (whole === '') return undefined
  const digits = whole.padStart(3, '0')
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}${places}`
}

/** `0.0450` as "4.5 %". Undefined unless the text is a decimal. */
export function formatPercent(fraction: string): string | undefined {
  const percent = toPercent(fraction)?.replace(/(\.\d*?)0+$/, '$1')
  return percent && `${percent.replace(/\.$/, '').replace('-', '−')} %`
}

/** `-1234.50` as "−1,234.50". Undefined unless the text is a decimal. */
export function formatNumber(text: string): string | undefined {
  const [, sign = '', whole = '', places] = decimal.exec(text) ?? []
  if (whole === '') return undefined
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return sign.replace('-', '−') + grouped + (places === undefined ? '' : `.${places}`)
}

/** Longer ones are not formatted. */
const durationLengthMax = 64

const units = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const

/** `P1M` as "1 month". Undefined unless the text is a duration of whole units. */
export function formatDuration(text: string): string | undefined {
  if (text.length > durationLengthMax) return undefined
  const match =
    /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(
      text,
    )
  const parts = units.flatMap((unit, index) => {
    const digits = match?.[index + 1]
    return digits === undefined ? [] : [formatQuantity(digits, unit)]
  })
  return parts.length === 0 ? undefined : parts.join(' ')
}

/** `12` and "month" as "12 months". */
export function formatQuantity(digits: string, unit: string): string {
  const count = BigInt(digits)
  return `${count.toLocaleString('en')} ${unit}${count === 1n ? '' : 's'}`
}
