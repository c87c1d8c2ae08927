/** A statement that each connection prepares once, with numbered parameters (`$1`). Its text must not contain values. */
export type Statement = string | DescribedStatement

export interface DescribedStatement {
  readonly text: string
  /** It may read many rows. On PostgreSQL, no other statement is sent behind it. */
  readonly isLong?: boolean
  /** Its values are passed on unread: a long one may be returned as bytes. */
  readonly isPage?: boolean
}

/** A value of a parameter. */
export type Parameter =
  | string
  | number
  | bigint
  | boolean
  | readonly string[]
  | readonly number[]
  | null

export function describe(statement: Statement): DescribedStatement {
  return typeof statement === 'string' ? { text: statement } : statement
}
