import { isObject } from '../../schema.ts'

/**
 * Records of the Consumer Data Standards that third parties read, as data: each field has a shape, which converts the
 * provider's value. A value that the standards do not allow and that cannot be converted is left out, and so is an object
 * without a required field: what is written is always valid (docs/decisions/0075-invalid-data.md).
 */
export interface Shape {
  /** Undefined if the standards do not allow the value. */
  write(value: unknown, context: WriteContext): unknown
  /** The JSON Schema of a version of the endpoint. */
  describe(version: number): JsonSchema
}

export type JsonSchema = Readonly<Record<string, unknown>>
export type Fields = Readonly<Record<string, unknown>>

/** For comparisons with text. An object has none: that of JSON may even have no method to convert it. */
export function toText(value: unknown): string {
  return typeof value === 'object' ? '' : String(value)
}

/** What an id is of. */
export type IdKind = 'account' | 'payment' | 'servicePoint' | 'transaction'

export interface WriteContext {
  /** Of the endpoint. */
  readonly version: number
  /** Of the provider’s times without a zone. */
  readonly timeZone: string
  /**
   * The id that the third party sees. `path` is the provider’s id, after that of its account if it is unique only there.
   * Undefined for an account that is not shared.
   */
  makeId(kind: IdKind, path: readonly string[]): string | undefined
  /** Called with the name of a schema and a field whose value is left out, replaced or missing. */
  report(field: string): void
}

export interface Field {
  readonly shape: Shape | ((record: Fields) => Shape)
  /** Whether an object is left out if it does not have the field: always, never, or on a condition. */
  readonly isRequired: boolean | ((record: Fields) => boolean)
  /** Whether an object may have the field. */
  readonly isAllowed?: (record: Fields) => boolean
  /** Otherwise the field of the same name. */
  readonly read?: ((record: Fields) => unknown) | undefined
  /** What replaces a value that is missing or invalid. */
  readonly otherwise?: unknown
  /** The first version with the field. */
  readonly since?: number | undefined
}

type FieldOptions = Pick<Field, 'read' | 'otherwise' | 'since'>

export function required(shape: Shape, options: FieldOptions = {}): Field {
  return { shape, isRequired: true, ...options }
}

export function optional(shape: Field['shape'], options: FieldOptions = {}): Field {
  return { shape, isRequired: false, ...options }
}

/** Required on a condition. */
export function requiredIf(
  isRequired: (record: Fields) => boolean,
  shape: Shape,
  options: FieldOptions = {},
): Field {
  return { shape, isRequired, ...options }
}

/** A member of a union: an object has it, and must have it, if `by` has its name. */
export function member(by: string, name: string, shape: Shape): Field {
  const isNamed = (record: Fields) => record[by] === name
  return { shape, isRequired: isNamed, isAllowed: isNamed }
}

export type ObjectShape = Shape & {
  readonly name: string
  readonly fields: Readonly<Record<string, Field>>
}

/** An object. `convert` changes the provider’s object before its fields are read, or rejects it. */
export function object(
  name: string,
  fields: Readonly<Record<string, Field>>,
  convert: (record: Fields, context: WriteContext) => Fields | undefined = (record) => record,
): ObjectShape {
  const entries = Object.entries(fields)
  return {
    name,
    fields,
    write(value, context) {
      const record = isObject(value) ? convert(value, context) : undefined
      if (!record) return undefined
      const written: Record<string, unknown> = {}
      for (const [fieldName, field] of entries) {
        if (isLater(field, context.version) || field.isAllowed?.(record) === false) continue
        const content = field.read ? field.read(record) : record[fieldName]
        const shape = typeof field.shape === 'function' ? field.shape(record) : field.shape
        const result =
          content === undefined || content === null ? undefined : shape.write(content, context)
        if (result !== undefined) {
          written[fieldName] = result
          continue
        }
        const isInvalid = content !== undefined && content !== null
        const { isRequired } = field
        const isMissed =
          field.otherwise === undefined &&
          (typeof isRequired === 'function' ? isRequired(record) : isRequired)
        if (isInvalid || isMissed) context.report(`${name}.${fieldName}`)
        if (isMissed) return undefined
        if (field.otherwise !== undefined) written[fieldName] = field.otherwise
      }
      return written
    },
    describe(version) {
      const present = entries.filter(([, field]) => !isLater(field, version))
      const required = present.filter(([, field]) => field.isRequired === true)
      return {
        title: name,
        type: 'object',
        properties: Object.fromEntries(
          present.map(([fieldName, { shape }]) => [
            fieldName,
            (typeof shape === 'function' ? shape({}) : shape).describe(version),
          ]),
        ),
        ...(required.length > 0 && { required: required.map(([fieldName]) => fieldName) }),
      }
    },
  }
}

function isLater({ since }: Field, version: number): boolean {
  return since !== undefined && since > version
}

/** The elements that the standards allow. A single value is a list of one. */
export function list(element: Shape, itemsMin = 0): Shape {
  return {
    write(value, context) {
      const written = (Array.isArray(value) ? value : [value])
        .map((each) => element.write(each, context))
        .filter((each) => each !== undefined)
      return written.length < itemsMin ? undefined : written
    },
    describe: (version) => ({
      type: 'array',
      items: element.describe(version),
      ...(itemsMin > 0 && { minItems: itemsMin }),
    }),
  }
}
