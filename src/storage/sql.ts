import type { Parameter } from './statement.ts'

/**
 * What the stores of the platform need from an engine. Statements are SQL that both engines understand, with numbered
 * parameters (`$1`); a `Dialect` names what they state differently. Each engine prepares a statement once, by its text,
 * so a text must not contain values.
 */
export interface Sql extends Session {
  readonly dialect: Dialect
  /** Runs statements in one transaction, on PostgreSQL in one round trip. Returns the number of rows that each changed. */
  inOrder(...calls: readonly Call[]): Promise<number[]>
  /**
   * Commits the work when it resolves and rolls it back when it rejects. SQLite runs one transaction after another. On
   * PostgreSQL they run concurrently, and each statement sees what was committed before it began.
   */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  /** The clock of the database server. A file has none: its processes run on one machine. */
  readTime?(): Promise<Temporal.Instant>
  /** Changes with every commit. PostgreSQL does not tell. */
  readChangeMark?(): Promise<number | undefined>
  close(): Promise<void>
}

export interface Session {
  /** The rows of a statement. Outside of a transaction, it must not write. */
  all<Shape extends Columns>(columns: Shape, ...call: Call): Promise<Row<Shape>[]>
  /** The first row of a statement that reads few rows by a key. Outside of a transaction, it must not write. */
  first<Shape extends Columns>(columns: Shape, ...call: Call): Promise<Row<Shape> | undefined>
  /** A page of a list: the first column is the total, and the second one is null if the page has no rows. */
  page<Shape extends Columns>(columns: Shape, ...call: Call): Promise<Page<Row<Shape>>>
  /** Inserts, updates or deletes. Returns the number of rows. */
  run(...call: Call): Promise<number>
  /** The same. Returns whether it changed a row. */
  changes(...call: Call): Promise<boolean>
}

export interface Transaction extends Session {
  /** Waits for the other transactions that have this lock. SQLite needs none. */
  lock(name: LockName, key?: string): Promise<void>
}

/** `product`: all writers of the product with this id. `feeds`: a change of the list of feeds. */
export type LockName = 'product' | 'feeds'

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly total: number
}

export interface Dialect {
  /** After a `select` in a transaction: locks its rows, after a wait or without those that others have locked. */
  readonly forUpdate: string
  readonly skipLocked: string
  /** After the name of a table: SQLite has no statistics, and without them chooses another index. */
  useIndex(name: string): string
  /** The time of the database in milliseconds since 1970. */
  readonly now: string
  /** A function of a text and a part of it: the position of the part, or 0. */
  readonly position: string
  /** Whether statements for a row each are faster than one for all: SQLite writes a temporary file for that one. */
  readonly isRowByRow: boolean
  /** How many rows a statement may read without a long wait of others: SQLite blocks the event loop. */
  readonly rowsPerTurn: number
  /** A condition: the column has one of the texts of an array. */
  isOneOf(column: string, parameter: string): string
  /** A table of the elements of an array of texts, as `text`, and the `place` of each. An alias follows. */
  elements(texts: string): string
  /** Joins the row of a table that meets a condition on the tables before it. */
  lookUp(table: string, alias: string, condition: string): string
  /** A table `k` of the elements of two arrays, as `text` and `number`, and the `place` of each. */
  pairs(texts: string, numbers: string): string
}

export type Call = readonly [text: string, values?: readonly Value[]]

/** A value of a parameter. A time is stored in milliseconds since 1970. */
export type Value = Exclude<Parameter, bigint> | Temporal.Instant | undefined

/** A value as an engine returns it: PostgreSQL returns texts. */
export type Cell = string | number | null

/** The columns of a statement, in their order: the name of each in a row, and how it is read. */
export type Columns = Readonly<Record<string, Column<unknown>>>
type Column<Result> = (cell: Cell) => Result

/** A column that may be undefined is a property that may be missing. */
export type Row<Shape extends Columns> = {
  readonly [Name in keyof Shape as undefined extends ReturnType<Shape[Name]>
    ? never
    : Name]: ReturnType<Shape[Name]>
} & {
  readonly [Name in keyof Shape as undefined extends ReturnType<Shape[Name]>
    ? Name
    : never]?: Exclude<ReturnType<Shape[Name]>, undefined>
}

export const text = (cell: Cell): string => cell as string
/** A text of which the database contains only these. */
export const oneOf = <Text extends string>(): Column<Text> => text as Column<Text>
/** Words with spaces between them. */
export const words = (cell: Cell): string[] => text(cell).split(' ')
export const integer = (cell: Cell): number => Number(cell)
export const boolean = (cell: Cell): boolean => cell === 1 || cell === 't'
export const time = (cell: Cell): Temporal.Instant =>
  Temporal.Instant.fromEpochMilliseconds(Number(cell))
export const json =
  <Parsed>(): Column<Parsed> =>
  (cell) =>
    JSON.parse(text(cell))
export const nullable =
  <Result>(column: Column<Result>): Column<Result | null> =>
  (cell) =>
    cell === null ? null : column(cell)
/** The row lacks the property if the column is null. */
export const optional =
  <Result>(column: Column<Result>): Column<Result | undefined> =>
  (cell) =>
    cell === null ? undefined : column(cell)

/** For `on conflict do update set`: the columns get the new values. */
export const replaceColumns = (columns: readonly string[]): string =>
  columns.map((name) => `${name} = excluded.${name}`).join(', ')

interface Statements {
  readRows(text: string, values: readonly Value[]): Promise<Cell[][]> | Cell[][]
  /** For statements that read few rows. */
  readFewRows?: Statements['readRows']
  run(text: string, values: readonly Value[]): Promise<number> | number
}

export function createSession({ readRows, readFewRows = readRows, run }: Statements): Session {
  const read = async (query: typeof readRows, [statement, values = []]: Call): Promise<Cell[][]> =>
    values.every(isStorable) ? query(statement, values) : []
  return {
    async all(columns, ...call) {
      return (await read(readRows, call)).map(toRow(columns))
    },
    async first(columns, ...call) {
      const [cells] = await read(readFewRows, call)
      return cells && toRow(columns)(cells)
    },
    async page(columns, ...call) {
      const rows = await read(readRows, call)
      const items = rows.map(([, ...cells]) => cells).filter(([first]) => first !== null)
      return { items: items.map(toRow(columns)), total: Number(rows[0]?.[0] ?? 0) }
    },
    run: async (statement, values = []) => run(statement, values),
    changes: async (statement, values = []) => (await run(statement, values)) > 0,
  }
}

/** No stored text matches others: PostgreSQL rejects U+0000, and a lone surrogate would be encoded as U+FFFD. */
function isStorable(value: Value): boolean {
  return typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'))
}

function toRow<Shape extends Columns>(columns: Shape): (cells: readonly Cell[]) => Row<Shape> {
  const entries = Object.entries(columns)
  return (cells) => {
    const row: Record<string, unknown> = {}
    for (const [index, [name, column]] of entries.entries()) {
      const value = column(cells[index] ?? null)
      if (value !== undefined) row[name] = value
    }
    return row as Row<Shape>
  }
}
