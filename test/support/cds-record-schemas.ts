import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { isCurrency } from '../../src/contract/cds/currencies.ts'
import {
  amount,
  ascii,
  dateTime,
  duration,
  listOf,
  object,
  oneOf,
  rate,
  type Schema,
  text,
  uri,
  when,
} from './cds-schema-types.ts'

/**
 * JSON schemas of the records that third parties read, compiled from a transcription of the field tables of the standards.
 * They do not use the shapes of the contract, so that an error in those is found.
 */
export function openRecordSchemas(): (name: string) => ValidateFunction {
  const ajv = new Ajv2020({
    strict: false,
    formats: {
      uri: (value: string) => URL.canParse(value),
      date: (value: string) => /^\d{4}-\d\d-\d\d$/.test(value) && isTime(`${value}T00:00:00Z`),
      'date-time': (value: string) =>
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) && isTime(value),
      currency: isCurrency,
    },
  })
  for (const [name, schema] of listSchemas()) ajv.addSchema(schema, name)
  return (name) => {
    const validate = ajv.getSchema(name)
    if (!validate) throw new TypeError(`no table of ${name}`)
    return validate
  }
}

const isTime = (value: string) => !Number.isNaN(Date.parse(value.replace(':60', ':59')))

const types: Readonly<Record<string, Schema>> = {
  ASCIIString: { ...ascii, minLength: 1 },
  AmountString: amount,
  Country: { type: 'string', pattern: '^[A-Z]{3}$' },
  CurrencyString: { type: 'string', format: 'currency' },
  DateString: { type: 'string', format: 'date' },
  DateTimeString: dateTime,
  Duration: duration,
  Email: { type: 'string', pattern: '^[^\\s@]+@[^\\s@]+$' },
  MaskedAccountString: { type: 'string', pattern: '^\\D*x[^\\dx]*(\\d[^\\dx]*){0,4}$' },
  MaskedPANString: { type: 'string', pattern: '^\\D*x[^\\dx]*(\\d[^\\dx]*){0,4}$' },
  NaturalNumber: { type: 'integer', minimum: 0 },
  PhoneNumber: { type: 'string', pattern: '^\\+\\d{4,15}$' },
  PositiveInteger: { type: 'integer', minimum: 1 },
  RateString: rate,
  Time: {
    type: 'string',
    pattern: '^T?\\d\\d(:?\\d\\d){0,2}([.,]\\d+)?(Z|[+-]\\d\\d(:?\\d\\d)?)?$',
  },
  URIString: uri,
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  string: text,
}

type Table = Readonly<Record<string, string>>

/** Fields that are mandatory because of the value of another: mostly members of a union. */
const conditions: Readonly<Record<string, readonly Schema[]>> = {
  BankingTransactionV2: [when('status', 'POSTED', 'postingDateTime')],
  CommonSimpleAddress: [
    { if: { properties: { country: { const: 'AUS' } } }, ...mandatory('postcode') },
  ],
  EnergyAccountV2: [when('openStatus', 'OPEN', 'creationDate')],
  EnergyAccountDetailV4: [when('openStatus', 'OPEN', 'creationDate')],
  BankingScheduledPaymentSetV2: [
    {
      if: { properties: { isAmountCalculated: { const: true } }, required: ['isAmountCalculated'] },
      else: { required: ['amount'], properties: { amount: { pattern: '^\\d' } } },
    },
  ],
}

function mandatory(field: string) {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { then: { required: [field] } }
}

function readTables(): ReadonlyMap<string, Table> {
  const content = readFileSync(new URL('cds-record-fields.txt', import.meta.url), 'utf8')
  return new Map(
    content
      .split(/^\[/m)
      .slice(1)
      .map((part) => {
        const [name = '', ...lines] = part.trim().split('\n')
        const fields = lines.map((line) => line.split(' ') as [string, string])
        return [name.replace(']', ''), Object.fromEntries(fields)]
      }),
  )
}

/** A field `…UType` names the member of a union that is present. */
function listUnionRules(table: Table): Schema[] {
  return Object.entries(table)
    .filter(([name]) => /UType\??$/.test(name))
    .flatMap(([name, type]) => {
      const field = name.replace('?', '')
      return type.split('|').flatMap((member) => {
        if (table[member] === undefined && table[`${member}?`] === undefined) return []
        const isNamed = { properties: { [field]: { const: member } }, required: [field] }
        return [{ if: isNamed, ...mandatory(member), else: { not: { required: [member] } } }]
      })
    })
}

function listSchemas(): ReadonlyMap<string, Schema> {
  const toSchema = (type: string): Schema => {
    if (type.startsWith('[')) return listOf(toSchema(type.slice(1, -1)))
    if (type.startsWith('@')) return { $ref: type.slice(1) }
    return types[type] ?? oneOf(type.replaceAll('|', ' '))
  }
  const toObject = (name: string, table: Table): Schema => {
    const select = (isOptional: boolean) =>
      Object.fromEntries(
        Object.entries(table)
          .filter(([field]) => field.endsWith('?') === isOptional)
          .map(([field, type]) => [field.replace('?', ''), toSchema(type)]),
      )
    const rules = [...listUnionRules(table), ...(conditions[name] ?? [])]
    return object(select(false), select(true), ...rules)
  }
  return new Map([...readTables()].map(([name, table]) => [name, toObject(name, table)]))
}
