import { escapeInvisible } from '../../contract/characters.ts'
import { valueLengthMax } from '../../intake/value-formats.ts'
import { formatQuantity } from '../common/format-count.ts'
import { codes, type Proposal, type ProposedField, type ProposedType } from './proposal.ts'

/** Fields without which a load rejects the record, and what to write if no column was recognised. */
const required: Readonly<Record<ProposedType, readonly string[]>> = {
  customer: ['id', 'name'],
  'banking.account': ['accountId'],
  'banking.balance': ['accountId', 'currentBalance', 'availableBalance'],
  'banking.transaction': ['accountId', 'transactionId', 'amount'],
}

/** Of the file that is written. */
const mainExport = 'default'

/** Of the file that is written: marks what is left to do. */
const unfinished = 'unfinished'

export const transactionIdAdvice =
  'It identifies a transaction in every later load: write an expression of cells that never change, and that no two transactions of an account share. Do not number the rows.'

/** The fields that a load requires and that no column was recognised for. */
export function findMissingFields({ type, fields }: Proposal): string[] {
  const found = new Set(fields.map(({ name }) => name))
  const isFound = (name: string) =>
    found.has(name) ||
    (name === 'amount' && found.has('debit')) ||
    (name === 'name' && found.has('familyName'))
  const missing = required[type].filter((name) => !isFound(name))
  return type === 'banking.account' && !found.has('holder') ? [...missing, 'holders'] : missing
}

/** What a load does with rows that have the key of an earlier one. Undefined if there are none. */
export function describeRepeatedKeys({ type, repeatedKeys }: Proposal): string | undefined {
  if (repeatedKeys === 0) return undefined
  const what = type === 'banking.transaction' ? 'accountId and transactionId' : 'ID'
  const rows = `${formatQuantity(repeatedKeys, 'row')} ${repeatedKeys === 1 ? 'has' : 'have'}`
  const consequence =
    type === 'banking.account'
      ? 'Each replaces the holders of the one before, so that a joint account keeps one holder. Return one line for each account, with all its holders'
      : 'Each replaces the record of the one before'
  return `${rows} the ${what} of an earlier one. ${consequence}.`
}

/** A mapping function. Names of columns are data: they are written as texts, with escapes. */
export function formatMap(proposal: Proposal, timeZone: string): string {
  const { type, fields } = proposal
  const columns = fields.map(({ column }) => quote(column)).join(' | ')
  const envelope = type === 'banking.account' ? formatHolders(fields) : []
  const record = formatFields(proposal)
  const repeated = describeRepeatedKeys(proposal)
  return [
    `import type { MapRow } from ${quote('holdfast/contract')}`,
    '',
    `type Row = Readonly<Record<${columns}, string>>`,
    '',
    `/** A row becomes a record of the type ${type}. Its fields: docs/reference/records.md of the package holdfast */`,
    'const map: MapRow<Row> = (row) => ({',
    `  type: '${type}',`,
    ...(repeated === undefined ? [] : [`  // ${repeated}`]),
    ...envelope,
    '  record: {',
    ...record.map((line) => `    ${line}`),
    '  },',
    '})',
    `export ${mainExport} map`,
    ...formatUnused(proposal),
    ...formatTimes(fields, timeZone),
    ...formatAmounts(fields),
    ...(record.some((line) => line.includes(`${unfinished}(`)) ? formatUnfinished() : []),
    '',
  ].join('\n')
}

const quote = (text: string): string =>
  `'${escapeInvisible(JSON.stringify(text)).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const cell = ({ column }: ProposedField): string => `row[${quote(column)}]`

function formatHolders(fields: readonly ProposedField[]): string[] {
  const holder = fields.find(({ name }) => name === 'holder')
  return holder
    ? [`  holders: [{ customerId: ${cell(holder)}, isOwned: true }],`]
    : [
        '  // No column has the customer: add it, for example from a table of holders.',
        '  holders: [],',
      ]
}

function formatFields(proposal: Proposal): string[] {
  const { type, fields } = proposal
  const byName = new Map(fields.map((field) => [field.name, field]))
  const lines = fields
    .filter(({ name }) => !/^(address\.|holder$|debit$|credit$)/.test(name))
    .flatMap((field) => formatField(field))
  const debit = byName.get('debit')
  const credit = byName.get('credit')
  if (debit && !byName.has('amount')) {
    const amountText = `toAmount(${cell(debit)})`
    const negative = debit.hasMinus
      ? `\`-\${${amountText}.replace('-', '')}\``
      : `\`-\${${amountText}}\``
    if (debit.hasMinus) {
      lines.push(
        `// Debits with a minus are debits too: verify that none in ${quote(debit.column)} is a reversal.`,
      )
    }
    // Some systems write 0.00 into the other column.
    const amount = credit
      ? `/[1-9]/.test(${cell(debit)}) ? ${negative} : toAmount(${cell(credit)})`
      : negative
    lines.push(`amount: ${amount},`)
  }
  const [given, family] = [byName.get('givenName'), byName.get('familyName')]
  if (type === 'customer' && family && !byName.has('name')) {
    lines.push(
      given ? `name: \`\${${cell(given)}} \${${cell(family)}}\`,` : `name: ${cell(family)},`,
    )
  }
  const address = fields.filter(({ name }) => name.startsWith('address.'))
  if (address.length > 0) {
    const parts = address.map((field) => `${field.name.slice(8)}: ${cell(field)},`)
    lines.push('address: {', ...parts.map((part) => `  ${part}`), '},')
  }
  if (type === 'banking.transaction' && !byName.has('status')) {
    lines.push(
      '// No column has the status. If the table has pending transactions too, theirs is PENDING.',
      "status: 'POSTED',",
    )
  }
  const missing = findMissingFields(proposal).filter((name) => name !== 'holders')
  return [
    ...lines,
    ...missing.flatMap((name) => [
      `// ${name}: no column was recognised. It is required.`,
      ...(name === 'transactionId' ? [`// ${transactionIdAdvice}`] : []),
    ]),
  ]
}

function formatField(field: ProposedField): string[] {
  const { name, kind, time, mark } = field
  if (name === 'openStatus') {
    return [
      '// OPEN or CLOSED: translate the codes of your system.',
      `openStatus: ${cell(field)} as 'OPEN' | 'CLOSED',`,
    ]
  }
  if (kind === 'time') {
    const value = !time
      ? `${unfinished}(${quote(field.column)})`
      : time.name === 'instant'
        ? cell(field)
        : `toInstant(${cell(field)}, ${time.name})`
    return [`...(${cell(field)} !== '' && { ${name}: ${value} }),`]
  }
  if (kind === 'amount') {
    const note = !mark
      ? [`// The amounts in ${quote(field.column)} have no format that is known.`]
      : mark.isAmbiguous
        ? [
            `// The values in ${quote(field.column)} do not show which character separates decimals: verify it.`,
          ]
        : []
    return [...note, `${name}: toAmount(${cell(field)}),`]
  }
  if (kind === 'code') return formatCode(field)
  return isOptional(name)
    ? [`...(${cell(field)} !== '' && { ${name}: ${cell(field)} }),`]
    : [`${name}: ${cell(field)},`]
}

function formatCode(field: ProposedField): string[] {
  const { name, column } = field
  const known = codes[name] ?? []
  const isRequired = name === 'status'
  if (field.hasKnownCodes) {
    const value = `${cell(field)} as ${known.map((code) => `'${code}'`).join(' | ')}`
    return isRequired
      ? [`${name}: ${value},`]
      : [`...(${cell(field)} !== '' && { ${name}: ${value} }),`]
  }
  const advice = `translate the codes in ${quote(column)} to ${known.join(', ')}.`
  return isRequired
    ? [`// ${advice}`, `${name}: ${unfinished}(${quote(column)}),`]
    : [`// ${name}: ${advice} Until then, it is left out.`]
}

const isOptional = (name: string): boolean => !/^(id|name|accountId|transactionId)$/.test(name)

function formatUnused({ unusedColumns }: Proposal): string[] {
  if (unusedColumns.length === 0) return []
  return [
    '',
    '// Columns that are not used:',
    ...unusedColumns.map((column) => `// ${quote(column)}`),
  ]
}

function formatTimes(fields: readonly ProposedField[], timeZone: string): string[] {
  const formats = new Map(
    fields.flatMap(({ time }) => (time && time.name !== 'instant' ? [[time.name, time]] : [])),
  )
  if (formats.size === 0) return []
  return [
    '',
    '/** The zone of the times in the table. */',
    `const zone = ${quote(timeZone)}`,
    ...[...formats.values()].flatMap(({ name, description, pattern, isAmbiguous }) => [
      '',
      `/** ${description}${isAmbiguous ? '. The values that were read do not show which one is the day: verify it' : ''} */`,
      `const ${name} =`,
      `  ${String(pattern)}`,
    ]),
    '',
    '/**',
    ' * A local time as an RFC 3339 time in UTC. A time that occurs twice is the earlier one, and one that is skipped at the',
    ' * start of daylight saving time is rejected.',
    ' */',
    'function toInstant(text: string, format: RegExp): string {',
    "  const { year = '', month = '', day, hour = 0, minute = 0, second = 0, half = '' } =",
    '    format.exec(text)?.groups ?? {}',
    "  const months = 'janfebmaraprmayjunjulaugsepoctnovdec'",
    '  const date = {',
    '    // Years of two digits are 1970 to 2069.',
    '    year: Number(year) + (year.length > 2 ? 0 : Number(year) < 70 ? 2000 : 1900),',
    '    month: /^\\d/.test(month)',
    '      ? Number(month)',
    '      : months.indexOf(month.slice(0, 3).toLowerCase()) / 3 + 1,',
    '    day: Number(day),',
    '  }',
    "  if (half !== '' && Number(hour) > 12) throw new Error('not a time')",
    '  // 12 AM is midnight.',
    "  const hours = half === '' ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0)",
    '  const time = { hour: hours, minute: Number(minute), second: Number(second) }',
    "  const local = Temporal.PlainDateTime.from({ ...date, ...time }, { overflow: 'reject' })",
    '  const zoned = local.toZonedDateTime(zone)',
    "  if (!zoned.toPlainDateTime().equals(local)) throw new Error('the time does not exist')",
    '  return zoned.toInstant().toString()',
    '}',
  ]
}

function formatAmounts(fields: readonly ProposedField[]): string[] {
  const amounts = fields.filter(({ kind }) => kind === 'amount')
  if (amounts.length === 0) return []
  const isComma = amounts.some(({ mark }) => mark?.mark === 'comma')
  const [group, decimal] = isComma ? ['[. ]', ','] : [',', '.']
  return [
    '',
    `/** ${isComma ? '`1.234,50`' : '`1,234.50`'} as a decimal with a point. A final \`-\` or \`DR\`, and parentheses, are a minus. */`,
    'function toAmount(text: string): string {',
    `  if (text.length > ${valueLengthMax}) throw new Error('not an amount')`,
    '  const isNegative = /^\\s*[-(]|^[^\\d]*-|(-|DR)\\s*$/i.test(text)',
    `  const digits = text.replace(/^[^\\d.,]+|[^\\d.,]+$/g, '').replace(/${group}(?=\\d{3}(?!\\d))/g, '')`,
    `  if (!/^\\d+(${isComma ? ',' : '\\.'}\\d+)?$/.test(digits)) throw new Error('not an amount')`,
    `  return \`\${isNegative ? '-' : ''}\${digits${decimal === ',' ? ".replace(',', '.')" : ''}}\``,
    '}',
  ]
}

function formatUnfinished(): string[] {
  return [
    '',
    '/** Rejects the row. Write the conversion of the column instead of each call. */',
    `function ${unfinished}(column: string): never {`,
    `  throw new Error(\`write the conversion of the column \${column}\`)`,
    '}',
  ]
}
