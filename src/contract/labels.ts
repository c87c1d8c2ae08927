/** The words for names of fields and values, in the console and on the command line. */

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
  ['jwks', 'key set'],
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
