/** The field types of the Consumer Data Standards as JSON schemas, and how the schemas of objects are composed. */

export type Schema = Readonly<Record<string, unknown>>
type Properties = Readonly<Record<string, Schema>>

export const text: Schema = { type: 'string' }
export const ascii: Schema = { type: 'string', pattern: '^[\\u0020-\\u007e]*$' }
export const uri: Schema = { type: 'string', format: 'uri' }
export const dateTime: Schema = { type: 'string', format: 'date-time' }
export const duration: Schema = {
  type: 'string',
  pattern: '^P(?!$)(\\d+Y)?(\\d+M)?(\\d+W)?(\\d+D)?(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+S)?)?$',
}
export const amount: Schema = { type: 'string', pattern: '^-?\\d{1,16}\\.\\d{2,}$' }
export const rate: Schema = { type: 'string', pattern: '^-?\\d{1,16}(\\.\\d{1,16})?$' }
export const adjustment: Schema = { type: 'string', pattern: '^\\d{1,16}(\\.\\d{1,16})?$' }
export const wholeNumber: Schema = { type: 'string', pattern: '^\\d+$' }
export const currency: Schema = { type: 'string', pattern: '^[A-Z]{3}$' }

export const oneOf = (values: string): Schema => ({ enum: values.split(' ') })
export const listOf = (items: Schema): Schema => ({ type: 'array', items })

export function object(
  mandatory: Properties,
  optional: Properties = {},
  ...rules: Schema[]
): Schema {
  return {
    type: 'object',
    properties: { ...mandatory, ...optional },
    required: Object.keys(mandatory),
    additionalProperties: false,
    ...(rules.length > 0 && { allOf: rules }),
  }
}

/** If the field has one of the values, the schema of another applies, and the other is mandatory. */
export function when(field: string, values: string, other: string, schema: Schema = {}): Schema {
  return {
    if: { properties: { [field]: oneOf(values) }, required: [field] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { [other]: schema }, required: [other] },
  }
}

export const explanation = { additionalValue: text, additionalInfo: text, additionalInfoUri: uri }
export const value = (field: string, values: string, schema: Schema = { minLength: 1 }) =>
  when(field, values, 'additionalValue', schema)
export const otherHasInfo = (field: string) =>
  when(field, 'OTHER', 'additionalInfo', { minLength: 1 })
