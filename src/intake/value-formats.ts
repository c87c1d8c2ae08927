/** A longer value is neither a time nor an amount. The patterns take quadratic time for long runs of spaces. */
export const valueLengthMax = 64

/** How the times of a column are written. The pattern has groups with the names of the parts. */
interface TimeFormat {
  readonly name: string
  readonly description: string
  readonly pattern: RegExp
}

const half = String.raw`(?: ?(?<half>[AaPp])\.?[Mm]\.?)?`
const clock = String.raw`(?:[ T](?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.\d+)?)?${half})?`
const format = (name: string, description: string, date: string): TimeFormat => ({
  name,
  description,
  pattern: new RegExp(`^${date}${clock}$`),
})
const year = String.raw`(?<year>\d{4}|\d\d)`
const month = String.raw`(?<month>\d{1,2})`
const day = String.raw`(?<day>\d{1,2})`
const separator = '[-/.]'

/** Day and month of this format are those of Australia: it comes before that of the United States. */
const timeFormats: readonly TimeFormat[] = [
  {
    name: 'instant',
    description: 'ISO 8601 with a zone',
    pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/,
  },
  format(
    'yearMonthDay',
    'year, month, day',
    String.raw`(?<year>\d{4})[-/.]?(?<month>\d\d)[-/.]?(?<day>\d\d)`,
  ),
  format('dayMonthYear', 'day, month, year', day + separator + month + separator + year),
  format('monthDayYear', 'month, day, year', month + separator + day + separator + year),
  format(
    'dayNameYear',
    'day, name of the month, year',
    `${day}[- /](?<month>[A-Za-z]{3,9})[- /]${year}`,
  ),
]

export interface FoundTimeFormat extends TimeFormat {
  /** Every day is at most 12, so that day and month may be the other way round. */
  readonly isAmbiguous: boolean
}

/** The format of all values that are not empty. Undefined without such a format, and without values. */
export function findTimeFormat(values: readonly string[]): FoundTimeFormat | undefined {
  const present = values.filter((value) => value !== '')
  if (present.length === 0) return undefined
  const fitting = timeFormats.filter(({ pattern }) =>
    present.every((value) => {
      const match = value.length <= valueLengthMax && pattern.exec(value)
      return match && isTime(match.groups)
    }),
  )
  const [found, other] = fitting
  return found && { ...found, isAmbiguous: other !== undefined }
}

function isTime(groups: Partial<Record<string, string>> = {}): boolean {
  const number = (text = '1') => Number(/^\d+$/.test(text) ? text : 1)
  const hourMax = groups['half'] === undefined ? 23 : 12
  return (
    number(groups['month']) <= 12 &&
    number(groups['day']) <= 31 &&
    number(groups['hour']) <= hourMax
  )
}

/** How the amounts of a column are written: which of `.` and `,` separates the decimals. */
export type DecimalMark = 'point' | 'comma'

export interface FoundDecimalMark {
  readonly mark: DecimalMark
  /** The amounts are valid with the other mark too, and then 1,000 times as large or as small. */
  readonly isAmbiguous: boolean
}

const sign = String.raw`(?:[-+(]\s*)?(?:A?\$|AUD)?\s*-?`
const end = String.raw`\)?\s*(?:-|CR|DR)?`
const group = String.raw`[1-9]\d{0,2}`
const amounts = {
  point: new RegExp(String.raw`^${sign}(?:${group}(?:,\d{3})+|\d+)(?:\.\d+)?\s*${end}$`, 'i'),
  comma: new RegExp(String.raw`^${sign}(?:${group}(?:[. ]\d{3})+|\d+)(?:,\d+)?\s*${end}$`, 'i'),
} as const satisfies Record<DecimalMark, RegExp>

/**
 * The mark of each column of a table. Undefined if a value of the column is no amount, and without values. If both marks
 * fit a column, it has the mark of the others.
 */
export function findDecimalMarks(
  columns: readonly (readonly string[])[],
  delimiter: string,
): (FoundDecimalMark | undefined)[] {
  const fitting = columns.map((values) => {
    const present = values.filter((value) => value !== '')
    if (present.length === 0) return []
    return (['point', 'comma'] as const).filter((mark) =>
      present.every((value) => value.length <= valueLengthMax && amounts[mark].test(value)),
    )
  })
  const certain = fitting.find((marks) => marks.length === 1)?.[0]
  // A comma that separates decimals is why a semicolon separates cells.
  const usual = delimiter === ';' ? 'comma' : 'point'
  return fitting.map(([first, other], index) => {
    if (first === undefined) return undefined
    if (other === undefined) return { mark: first, isAmbiguous: false }
    const hasSeparator = columns[index]?.some((value) => /[.,]/.test(value)) ?? false
    return {
      mark: certain ?? (hasSeparator ? usual : 'point'),
      isAmbiguous: hasSeparator && certain === undefined,
    }
  })
}
