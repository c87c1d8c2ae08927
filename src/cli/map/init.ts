import { closeSync, openSync, readSync, statSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import { escapeInvisible } from '../../contract/characters.ts'
import { sampleBytesMax, sampleTable, type TableSample } from '../../intake/table-sample.ts'
import { locateDocument } from '../../server/locate-document.ts'
import { isTimeZone } from '../../server/settings/value-rules.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { systemReason } from '../../storage/system-reason.ts'
import { formatQuantity } from '../common/format-count.ts'
import { formatTable } from '../common/format-table.ts'
import {
  describeRepeatedKeys,
  findMissingFields,
  formatMap,
  transactionIdAdvice,
} from './format-map.ts'
import { type Proposal, type ProposedField, type ProposedType, proposeMap } from './proposal.ts'

export interface InitFlags {
  readonly delimiter?: string
  readonly type?: ProposedType
  readonly output: string
}

/** What must exist before records of a type, or be loaded with them. */
const referenced: Partial<Readonly<Record<ProposedType, string>>> = {
  'banking.account': 'customers',
  'banking.balance': 'accounts',
  'banking.transaction': 'accounts',
}

/** Where most users of the standards are. */
const timeZoneDefault = 'Australia/Sydney'

/** Writes a mapping function for a table, from its header and first rows. */
export async function initMap(name: string, flags: InitFlags, terminal: Terminal): Promise<void> {
  const { delimiter, type, output } = flags
  const timeZone = terminal.environment['HOLDFAST_TIME_ZONE'] ?? timeZoneDefault
  if (!isTimeZone(timeZone)) {
    const expected = 'a time zone such as UTC or Australia/Sydney'
    throw new CommandError(
      2,
      `HOLDFAST_TIME_ZONE must be ${expected}, not ${JSON.stringify(timeZone)}`,
    )
  }
  const { start, isWhole } = readStart(name)
  const sample = await sampleTable(start, isWhole, delimiter)
  if (typeof sample === 'string') throw new CommandError(1, `${name} ${sample}`)
  const proposal = proposeMap(sample, type)
  if (!proposal) {
    throw new CommandError(
      1,
      `${name}: the columns are not those of a customer, an account, a balance or a transaction. Name the record type with --type, or write the function yourself (${locateDocument('guides/load-data.md')})`,
    )
  }
  writeNew(output, formatMap(proposal, timeZone))
  terminal.out(
    `${describe(name, sample, proposal, timeZone, output).map(escapeInvisible).join('\n')}\n`,
  )
}

function readStart(name: string): { start: Buffer; isWhole: boolean } {
  const stats = statSync(name, { throwIfNoEntry: false })
  if (!stats) throw new CommandError(2, `${name}: file not found`)
  // A pipe could be read only once, and the dry run reads the file again.
  if (!stats.isFile()) throw new CommandError(2, `${name} is not a regular file`)
  try {
    const file = openSync(name, 'r')
    const buffer = Buffer.alloc(Math.min(stats.size, sampleBytesMax))
    const length = readSync(file, buffer)
    closeSync(file)
    return { start: buffer.subarray(0, length), isWhole: length === stats.size }
  } catch (error) {
    const reason = systemReason((error as NodeJS.ErrnoException).code)
    throw new CommandError(1, `${name} cannot be read: ${reason}`, { cause: error })
  }
}

function writeNew(name: string, text: string): void {
  try {
    writeFileSync(name, text, { flag: 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason =
      code === 'EEXIST'
        ? `${name} already exists: choose another file with --output`
        : `${name} cannot be written: ${systemReason(code)}`
    throw new CommandError(1, reason, { cause: error })
  }
}

function describe(
  name: string,
  sample: TableSample,
  proposal: Proposal,
  timeZone: string,
  output: string,
): string[] {
  const { encoding, hasByteOrderMark, delimiter, columns, rows, failures, failure } = sample
  const encoded = `${encoding}${hasByteOrderMark ? ' with a byte order mark' : ''}`
  const separated = delimiter === '\t' ? 'a tab' : `"${delimiter}"`
  const missing = findMissingFields(proposal)
  const repeated = describeRepeatedKeys(proposal)
  const needed = referenced[proposal.type]
  return [
    `${name}: ${encoded}, separated by ${separated}, ${formatQuantity(columns.length, 'column')}, ${formatQuantity(rows.length, 'row')} read`,
    ...(failure
      ? [
          `${formatQuantity(failures, 'row')} cannot be read: line ${failure.line} ${failure.reason}`,
        ]
      : []),
    `record type: ${proposal.type}`,
    '',
    ...formatTable([
      ...proposal.fields.map((field) => [
        `  ${escapeInvisible(field.column)}`,
        field.name === 'holder' ? 'holders' : field.name,
        describeFormat(field, timeZone),
      ]),
      ...proposal.unusedColumns.map((column) => [`  ${escapeInvisible(column)}`, 'not used', '']),
    ]),
    '',
    ...(missing.length > 0 ? [`No column was recognised for: ${missing.join(', ')}.`] : []),
    ...(missing.includes('transactionId') ? [`transactionId: ${transactionIdAdvice}`] : []),
    ...(repeated === undefined ? [] : [`Warning: ${repeated}`]),
    ...(encoding === 'UTF-8' ? [] : ['A load reads UTF-8: the command converts the file.']),
    ...(needed === undefined ? [] : [`The ${needed} must exist: load them first.`]),
    `${output} written. Read it, then try it without changing a database:`,
    `  ${formatDryRun(name, sample, output)}`,
  ]
}

function describeFormat(field: ProposedField, timeZone: string): string {
  const { kind, time, mark, hasKnownCodes, hasValues, hasMinus, name } = field
  if (kind === 'text') return ''
  if (!hasValues) return 'no values'
  if (kind === 'code') return hasKnownCodes ? '' : 'codes not recognised: translate them'
  if (kind === 'amount') {
    if (!mark) return 'format not recognised'
    const notes = [
      ...(mark.isAmbiguous ? ['verify which character separates decimals'] : []),
      ...(name === 'debit' && hasMinus ? ['with a minus: verify that none is a reversal'] : []),
    ]
    return `decimal ${mark.mark}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`
  }
  if (!time) return 'format not recognised: write the conversion'
  if (time.name === 'instant') return time.description
  const note = time.isAmbiguous ? ' (verify day and month)' : ''
  return `${time.description}${note}, in ${timeZone}`
}

function formatDryRun(name: string, { encoding, delimiter }: TableSample, output: string): string {
  const extension = extname(name).slice(1).toLowerCase()
  const isConverted = encoding !== 'UTF-8'
  const format = !isConverted && /^(csv|tsv)$/.test(extension) ? extension : 'csv'
  const usual = format === 'tsv' ? '\t' : ','
  const flags = [
    ...(format === extension && !isConverted ? [] : ['--format csv']),
    ...(delimiter === usual
      ? []
      : [`--delimiter ${delimiter === '\t' ? 'tab' : `'${delimiter}'`}`]),
  ]
  const convert = isConverted
    ? `iconv --from-code WINDOWS-1252 --to-code UTF-8 ${quote(name)} | `
    : ''
  const input = isConverted ? '-' : quote(name)
  return [`${convert}npx holdfast load --dry-run --map ${quote(output)}`, ...flags, input].join(' ')
}

/** A path as an argument that is not taken for a flag. */
function quote(path: string): string {
  const text = path.startsWith('-') ? `./${path}` : path
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
