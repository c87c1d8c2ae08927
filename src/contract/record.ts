import type { TObject, TOptional, TProperties, TSchema } from 'typebox'
import { meetsRules, type Rule } from './rules.ts'
import { copy, Type } from './type.ts'

/** Annotations of a record's schema beyond JSON Schema. They are properties of the schema object. */
export interface RecordOptions {
  readonly description?: string
  readonly rules?: readonly Rule[]
  /** Other field names that are accepted in input: `{ alias: 'field' }`. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Fields that are accepted in input and dropped: the server sets or derives them. */
  readonly ignores?: readonly string[]
  /** If set, `ignores` applies only when this field is present; otherwise those fields are rejected. */
  readonly ignoresWhenPresent?: string
}

interface RecordDefinition<R, O> extends RecordOptions {
  readonly required?: R
  readonly optional?: O
}

type Fields<R extends TProperties, O extends TProperties> = TObject<
  R & { [Key in keyof O]: TOptional<O[Key]> }
>

/**
 * A named object of the interface with its required and optional fields, and no others. The OpenAPI
 * document and the reference use the name.
 */
export function record<
  R extends TProperties = Record<never, never>,
  O extends TProperties = Record<never, never>,
>(name: string, definition: RecordDefinition<R, O>): Fields<R, O> {
  const { required, optional = {}, rules = [], ...annotations } = definition
  const fields = Object.entries<TSchema>(optional).map(([key, type]) => [key, Type.Optional(type)])
  const object: TObject = Type.Object(
    { ...required, ...Object.fromEntries(fields) },
    { additionalProperties: false, name, rules, ...annotations },
  )
  const refined =
    rules.length === 0
      ? object
      : Type.Refine(object, (value) => meetsRules(rules, value as Record<string, unknown>))
  return refined as unknown as Fields<R, O>
}

/** Describes a field. A named record keeps its own description as well. */
export function described<T extends TSchema>(type: T, description: string): T {
  return copy(type, 'name' in type ? { fieldDescription: description } : { description })
}

/** A parameter that may be left out. */
export function optional<T extends TSchema>(type: T, description: string) {
  return Type.Optional(described(type, description))
}

/** Also accepts a JSON number in input and stores it as text. */
export function acceptsNumber<T extends TSchema>(type: T): T {
  return copy(type, { acceptsNumber: true })
}
