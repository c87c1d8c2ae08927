import { values as valueLists } from '../../contract/enumerations.ts'
import type { TableSample } from '../../intake/table-sample.ts'
import {
  type FoundDecimalMark,
  type FoundTimeFormat,
  findDecimalMarks,
  findTimeFormat,
} from '../../intake/value-formats.ts'

/** The types whose columns are recognised. */
export const proposedTypes = [
  'customer',
  'banking.account',
  'banking.balance',
  'banking.transaction',
] as const
export type ProposedType = (typeof proposedTypes)[number]

/** What a cell becomes. */
type FieldKind = 'text' | 'time' | 'amount' | 'code'

/** The values of the fields that are codes. */
export const codes: Readonly<Record<string, readonly string[]>> = {
  type: valueLists.transactionType,
  status: valueLists.transactionStatus,
}

interface KnownField {
  /** In the record; `debit` and `credit` are parts of the amount, and `holder` is beside the record. */
  readonly name: string
  readonly kind: FieldKind
  /** Names of columns in lower case, without anything but letters and digits, the preferred one first. */
  readonly columns: readonly string[]
}

const field = (name: string, kind: FieldKind, columns: string): KnownField => ({
  name,
  kind,
  columns: [name.replaceAll('.', '').toLowerCase(), ...columns.split(' ')],
})

const accountId = field(
  'accountId',
  'text',
  'accountno accountnumber accountnum acctno acctnumber acctid accno account acct',
)
const customerColumns =
  'customerid customerno customernumber custid custno custnumber clientid clientno cif cifno partyid memberno'

const knownFields: Readonly<Record<ProposedType, readonly KnownField[]>> = {
  customer: [
    field('id', 'text', customerColumns),
    field('name', 'text', 'fullname customername custname'),
    field('givenName', 'text', 'firstname forename'),
    field('familyName', 'text', 'surname lastname'),
    field('email', 'text', 'emailaddress emailaddr mail'),
    field('phoneNumber', 'text', 'mobile mobileno mobilephone phone phoneno telephone'),
    field('updatedAt', 'time', 'lastchanged lastupdated updated modified'),
    field('address.streetAddress', 'text', 'address street addressline1 addr1'),
    field('address.locality', 'text', 'suburb city town'),
    field('address.region', 'text', 'state'),
    field('address.postalCode', 'text', 'postcode zip zipcode'),
    field('address.country', 'text', 'country'),
  ],
  'banking.account': [
    accountId,
    field('holder', 'text', customerColumns),
    field('creationDate', 'time', 'opendate opendt opened openeddate dateopened created'),
    field('nickname', 'text', 'accountname alias'),
    field('displayName', 'text', 'accounttitle title'),
    field('productName', 'text', 'product productdescription'),
    field('openStatus', 'text', 'status accountstatus'),
  ],
  'banking.balance': [
    accountId,
    field('currentBalance', 'amount', 'ledgerbalance ledgerbal currentbal curbal balance bal'),
    field('availableBalance', 'amount', 'availbal available availablebal availablefunds'),
    field('currency', 'text', 'ccy currencycode'),
  ],
  'banking.transaction': [
    accountId,
    field(
      'transactionId',
      'text',
      'transactionno transactionnumber txnid txnno tranid tranno trnid seq sequence sequenceno id',
    ),
    field(
      'postingDateTime',
      'time',
      'postingdate posteddate postdate postdt posted bookingdate transactiondate txndate trandate date',
    ),
    field('executionDateTime', 'time', 'executiondate valuedate effectivedate'),
    field('amount', 'amount', 'transactionamount txnamount tranamount amt value'),
    field('debit', 'amount', 'debitamount withdrawal withdrawals dr'),
    field('credit', 'amount', 'creditamount deposit deposits cr'),
    field(
      'description',
      'text',
      'narrative narration details particulars memo text transactiondescription',
    ),
    field('reference', 'text', 'ref referenceno'),
    field('type', 'code', 'transactiontype txntype trantype'),
    field('status', 'code', 'transactionstatus txnstatus transtatus'),
  ],
}

/** Without these, a row is no record of the type. */
const distinctive: Readonly<Record<ProposedType, (names: ReadonlySet<string>) => boolean>> = {
  'banking.transaction': (names) =>
    names.has('postingDateTime') && (names.has('amount') || names.has('debit')),
  'banking.balance': (names) => names.has('accountId') && names.has('currentBalance'),
  'banking.account': (names) =>
    names.has('accountId') && (names.has('creationDate') || names.has('holder')),
  customer: (names) => names.has('id') && (names.has('name') || names.has('familyName')),
}

export interface ProposedField {
  readonly name: string
  readonly kind: FieldKind
  readonly column: string
  /** Undefined for a column whose values are empty, or of no format that is known. */
  readonly time?: FoundTimeFormat | undefined
  readonly mark?: FoundDecimalMark | undefined
  /** Whether all values of a column with codes are those of the interface. */
  readonly hasKnownCodes?: boolean
  readonly hasValues: boolean
  /** Whether an amount has a minus. */
  readonly hasMinus?: boolean
}

export interface Proposal {
  readonly type: ProposedType
  readonly fields: readonly ProposedField[]
  readonly unusedColumns: readonly string[]
  /** How many rows have the key of an earlier one, whose record a load replaces. */
  readonly repeatedKeys: number
}

/** The fields that identify the record of a row. */
const keys: Readonly<Record<ProposedType, readonly string[]>> = {
  customer: ['id'],
  'banking.account': ['accountId'],
  'banking.balance': ['accountId'],
  'banking.transaction': ['accountId', 'transactionId'],
}

/** Undefined if the columns are those of no type. */
export function proposeMap(sample: TableSample, type?: ProposedType): Proposal | undefined {
  const candidates = (type === undefined ? proposedTypes : [type]).map((each) => ({
    type: each,
    fields: findFields(sample, each),
  }))
  const [best] = candidates
    .filter(
      (each) =>
        type !== undefined || distinctive[each.type](new Set(each.fields.map(({ name }) => name))),
    )
    .sort((a, b) => b.fields.length - a.fields.length)
  if (!best) return undefined
  const used = new Set(best.fields.map(({ column }) => column))
  return {
    ...best,
    unusedColumns: sample.columns.filter((column) => !used.has(column)),
    repeatedKeys: countRepeatedKeys(sample, best),
  }
}

function countRepeatedKeys(
  { rows }: TableSample,
  { type, fields }: Pick<Proposal, 'type' | 'fields'>,
): number {
  const columns = keys[type].map((key) => fields.find(({ name }) => name === key)?.column)
  if (columns.includes(undefined)) return 0
  const found = new Set(
    rows.map((row) => JSON.stringify(columns.map((column = '') => row[column]))),
  )
  return rows.length - found.size
}

/** Each column is used once, by the field whose preferred name it has. */
function findFields(
  { columns, rows, delimiter }: TableSample,
  type: ProposedType,
): ProposedField[] {
  const used = new Set<string>()
  const fields = knownFields[type].flatMap(({ name, kind, columns: names }) => {
    const column = names
      .map((each) => columns.find((one) => !used.has(one) && normalize(one) === each))
      .find((each) => each !== undefined)
    if (column === undefined) return []
    used.add(column)
    return { name, kind, column, values: rows.map((row) => row[column] ?? '').filter(Boolean) }
  })
  const amounts = fields.filter(({ kind }) => kind === 'amount')
  const marks = findDecimalMarks(
    amounts.map(({ values }) => values),
    delimiter,
  )
  return fields.map((field) => {
    const { values, ...named } = field
    const { name, kind } = named
    return {
      ...named,
      hasValues: values.length > 0,
      ...(kind === 'time' && { time: findTimeFormat(values) }),
      ...(kind === 'amount' && {
        mark: marks[amounts.indexOf(field)],
        hasMinus: values.some((value) => /[-(]|DR/i.test(value)),
      }),
      ...(kind === 'code' && {
        hasKnownCodes: values.every((each) => codes[name]?.includes(each)),
      }),
    }
  })
}

function normalize(column: string): string {
  return column.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
