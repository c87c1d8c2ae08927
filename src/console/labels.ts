/** Words of field names and values that are abbreviated or not written in lower case. */
const words: ReadonlyMap<string, string> = new Map([
  ['uri', 'link'],
  ['uris', 'links'],
  ['info', 'information'],
  ['trans', 'transaction'],
  ['txns', 'transactions'],
  ['cred', 'credit'],
  ['chrg', 'charge'],
  ['pers', 'personal'],
  ['cust', 'customer'],
  ['min', 'minimum'],
  ['max', 'maximum'],
  ['lvr', 'loan-to-value ratio'],
  ['bsb', 'BSB'],
  ['nmi', 'NMI'],
  ['npp', 'NPP'],
  ['payid', 'PayID'],
  ['eftpos', 'EFTPOS'],
  ['amex', 'American Express'],
  ['mastercard', 'Mastercard'],
  ['visa', 'Visa'],
])

/** `effective_from` as "Effective from", `PERS_LOANS` as "Personal loans", `fee_method_u_type` as "Fee method". */
export function toLabel(name: string): string {
  const text = name
    .replace(/_u_type$/, '')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_-]/)
    .map((word) => words.get(word) ?? word)
    .join(' ')
  return capitalize(text)
}

/** The field of a record that says what kind of fee, rate or feature it is, with its value. */
export function findType(
  record: Readonly<Record<string, unknown>>,
): { readonly name: string; readonly value: string } | undefined {
  for (const [name, value] of Object.entries(record)) {
    if (kindFields.test(name) && typeof value === 'string' && value !== '') return { name, value }
  }
  return undefined
}

const kindFields =
  /^(card|constraint|deposit_rate|discount|discount_eligibility|eligibility|feature|fee|lending_rate|rate_applicability)_type$/

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** `5000` as "5,000", or as "5,000 products" with the noun "product". */
export function formatCount(count: number, noun?: string): string {
  const text = count.toLocaleString('en')
  return noun === undefined ? text : `${text} ${noun}${count === 1 ? '' : 's'}`
}

export function formatMs(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}

/** A duration in milliseconds, or in seconds if it is longer than one. */
export function formatSeconds(seconds: number): string {
  const ms = seconds * 1000
  if (ms >= 1000) return `${seconds.toLocaleString('en', { maximumFractionDigits: 2 })} s`
  return `${ms.toLocaleString('en', { maximumFractionDigits: ms < 10 ? 1 : 0 })} ms`
}

/** A time span of any length in its greatest unit, such as "30 s" or "2 h". */
export function formatSpan(seconds: number): string {
  if (seconds < 10) return `${Math.max(0, Math.round(seconds * 10) / 10)} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
  return formatCount(Math.round(seconds / 86_400), 'day')
}

/** `0.0425` as "4.25 %", exactly. Undefined unless the text is a decimal. */
export function formatPercent(decimal: string): string | undefined {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? []
  if (whole === '') return undefined
  const digits = whole + fraction.padEnd(2, '0')
  const point = whole.length + 2
  const integer = digits.slice(0, point).replace(/^0+(?=\d)/, '')
  const rest = digits.slice(point).replace(/0+$/, '')
  return `${sign.replace('-', '−')}${integer}${rest && `.${rest}`} %`
}

const units = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const

/** `P1M` as "1 month". Undefined unless the text is a duration of whole units. */
export function formatDuration(text: string): string | undefined {
  const match =
    /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(
      text,
    )
  const parts = units.flatMap((unit, index) => {
    const count = match?.[index + 1]
    return count === undefined ? [] : [formatCount(Number(count), unit)]
  })
  return parts.length === 0 ? undefined : parts.join(' ')
}

/** `fees[0].fixed_amount.amount` as "Fee 1 › Fixed amount › Amount". */
export function describePath(path: string): string {
  return path
    .split('.')
    .map((part) => {
      const [, name = part, index] = /^(.*)\[(\d+)\]$/.exec(part) ?? []
      if (index === undefined) return toLabel(name)
      return `${toLabel(name).replace(/s$/, '')} ${Number(index) + 1}`
    })
    .join(' › ')
}

/** The names of fields and of values in a sentence as people read them: `is required when fee_type is PERIODIC`. */
export function humanize(sentence: string): string {
  return sentence
    .replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => toLabel(name).toLowerCase())
    .replaceAll(/\b[A-Z]+(?:_[A-Z\d]+)+\b|(?<= is )[A-Z]{3,}\b/g, toLabel)
}
