import type * as TypeBox from 'typebox'

type Same =
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'String'
  | 'Union'
  | 'Unknown'

/** Fewer forms than in TypeBox where the contract needs only one. */
interface Builders extends Pick<typeof TypeBox, Same> {
  Enum<const Values extends string[]>(
    values: readonly [...Values],
    options?: TypeBox.TSchemaOptions,
  ): TypeBox.TEnum<Values>
  Refine<T extends TypeBox.TSchema>(
    type: T,
    check: (value: TypeBox.Static<T>) => boolean,
  ): TypeBox.TRefineAdd<T>
}

interface Refinement {
  readonly check: (value: unknown) => boolean
  readonly error: () => string
}

/**
 * The builders of TypeBox that the contract uses, with its types and the same results. Its own module imports the more
 * than 500 files of all builders, which is a quarter of the time to start from a clone.
 */
export const Type = {
  Array: (items: object, options?: object) => build('Array', { type: 'array', items }, options),
  Boolean: (options?: object) => build('Boolean', { type: 'boolean' }, options),
  Enum: (values: readonly string[], options?: object) => build('Enum', { enum: values }, options),
  Integer: (options?: object) => build('Integer', { type: 'integer' }, options),
  Number: (options?: object) => build('Number', { type: 'number' }, options),
  Object(properties: Readonly<Record<string, object>>, options?: object) {
    const required = Object.keys(properties).filter(
      (name) => !('~optional' in (properties[name] ?? {})),
    )
    const type = { type: 'object', ...(required.length > 0 && { required }), properties }
    return build('Object', type, options)
  },
  Optional: (type: object) => hide(copy(type), '~optional', true),
  Refine(type: { readonly '~refine'?: readonly Refinement[] }, check: Refinement['check']) {
    const refinement: Refinement = { check, error: () => 'Refine Error' }
    return hide(copy(type), '~refine', [...(type['~refine'] ?? []), refinement])
  },
  String: (options?: object) => build('String', { type: 'string' }, options),
  Union: (anyOf: readonly object[], options?: object) => build('Union', { anyOf }, options),
  Unknown: (options?: object) => build('Unknown', {}, options),
} as unknown as Builders

function build(kind: string, type: object, options?: object): object {
  return hide({ ...type, ...options }, '~kind', kind)
}

/** Copies a schema with its hidden properties, which a spread would lose. */
export function copy<T extends object>(type: T, annotations: object = {}): T {
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(type),
      ...Object.getOwnPropertyDescriptors(annotations),
    },
  ) as T
}

/** Properties of TypeBox that are not part of the JSON Schema cannot be enumerated. */
function hide(type: object, name: string, value: unknown): object {
  return Object.defineProperty(type, name, {
    configurable: true,
    writable: true,
    enumerable: false,
    value,
  })
}
