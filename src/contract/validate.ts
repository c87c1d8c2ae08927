import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/schema'
import { findProblems } from './problems.ts'
import type { Problem } from './rules.ts'

export interface Validator<T extends TSchema> {
  /** Compiled and fast, for the common case of a valid value. */
  check(value: unknown): value is Static<T>
  /** All errors by field, at most `max`. Empty if and only if `check` returns true. */
  problems(value: unknown, max?: number): Problem[]
}

/** Each schema is compiled once: several operations have the same body. */
const compiledSchemas = new WeakMap<TSchema, { Check(value: unknown): boolean }>()

/** Create validators at startup: compiling takes milliseconds, checking takes microseconds. */
export function validator<T extends TSchema>(schema: T): Validator<T> {
  const compiled = compiledSchemas.get(schema) ?? Compile(schema)
  compiledSchemas.set(schema, compiled)
  return {
    check: (value): value is Static<T> => compiled.Check(value),
    problems: (value, max = Number.POSITIVE_INFINITY) =>
      compiled.Check(value) ? [] : findProblems(schema, value, max),
  }
}
