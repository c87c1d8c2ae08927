import Type, { type TObject, type TOptional, type TProperties, type TSchema } from 'typebox'
import { meetsRules, type Rule } from './rules.ts'

/** What a record's schema says beyond JSON Schema. It stays on the schema object itself. */
export interface RecordOptions {
  readonly description?: string
  readonly rules?: readonly Rule[]
  /** Other spellings that are taken on the way in: `{ theirs: 'ours' }`. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Fields that are taken on the way in and dropped: the server's own, or derived ones. */
  readonly ignores?: readonly string[]
  /** Where this is set, they are dropped only beside that field; alone they are not fields at all. */
  readonly ignoresWhenPresent?: string
}

type Fields<R extends TProperties, O extends TProperties> = TObject<
  R & { [Key in keyof O]: TOptional<O[Key]> }
>

/**
 * A named object of the interface: the fields it must have, those it may have, and no others. The
 * name is the one it has in the OpenAPI document and the reference.
 */
export function record<R extends TProperties, O extends TProperties = Record<never, never>>(
  name: string,
  required: R,
  optional?: O,
  options: RecordOptions = {},
): Fields<R, O> {
  const { rules = [], ...rest } = options
  const maybe = Object.entries(optional ?? {}).map(([key, type]) => [key, Type.Optional(type)])
  const object: TObject = Type.Object(
    { ...required, ...Object.fromEntries(maybe) },
    { additionalProperties: false, name, rules, ...rest },
  )
  const ruled =
    rules.length === 0
      ? object
      : Type.Refine(object, (fields) => meetsRules(rules, fields as Record<string, unknown>))
  return ruled as unknown as Fields<R, O>
}

/** The same type with a sentence about what it means in this place. A record keeps its own beside. */
export function described<T extends TSchema>(type: T, description: string): T {
  return annotated(type, 'name' in type ? { fieldDescription: description } : { description })
}

/** The same type that is also taken as a JSON number on the way in, and kept as text. */
export function acceptsNumber<T extends TSchema>(type: T): T {
  return annotated(type, { acceptsNumber: true })
}

/** A copy that keeps what TypeBox hides on a schema, which a spread would lose. */
function annotated<T extends TSchema>(type: T, notes: object): T {
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(type),
      ...Object.getOwnPropertyDescriptors(notes),
    },
  ) as T
}
