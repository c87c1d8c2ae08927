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
  return text.charAt(0).toUpperCase() + text.slice(1)
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

const dateUnits = ['year', 'month', 'week', 'day'] as const
const timeUnits = ['hour', 'minute', 'second'] as const

/** `P1M` as "1 month". Undefined unless the text is a duration of whole units. */
export function formatDuration(text: string): string | undefined {
  const match =
    /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(
      text,
    )
  const parts = [...dateUnits, ...timeUnits].flatMap((unit, index) => {
    const count = match?.[index + 1]
    return count === undefined ? [] : [`${Number(count)} ${unit}${Number(count) === 1 ? '' : 's'}`]
  })
  return parts.length === 0 ? undefined : parts.join(' ')
}
