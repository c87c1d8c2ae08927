import type { TSchema } from 'typebox'
import type { RecordOptions } from './record.ts'
import type { ScalarName } from './scalars.ts'

/**
 * A schema of the contract, as the validator, the normalizer and the OpenAPI document traverse it. The
 * contract uses no other schema keywords.
 */
export interface Node extends Partial<RecordOptions> {
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'
  readonly name?: string
  /** The description of a field whose type is a named record with its own description. */
  readonly fieldDescription?: string
  readonly scalar?: ScalarName
  readonly acceptsNumber?: true
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
  readonly additionalProperties?: false
  readonly items?: Node
  readonly anyOf?: readonly Node[]
  readonly enum?: readonly string[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

export function asNode(schema: TSchema): Node {
  return schema as unknown as Node
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
