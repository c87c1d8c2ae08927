import type { TSchema } from 'typebox'
import { type Operation, type Problem, sentenceOf, validator } from '../contract/index.ts'
import { leaves } from '../contract/leaves.ts'
import { type Node, nodeOf } from '../contract/schema.ts'
import { expectation } from '../contract/validate.ts'
import { ProviderError } from '../provider/error.ts'

/** The query as Fastify reads it: a parameter that is given twice is a list. */
export type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>

export interface RequestReader {
  readonly params: (raw: Readonly<Record<string, string>>) => Record<string, string>
  readonly query: (raw: RawQuery) => Record<string, unknown>
  readonly body: (raw: unknown) => unknown
}

/** Reads what an operation takes, or says in one sentence what is wrong with it. */
export function requestReader(operation: Operation): RequestReader {
  const params = Object.entries(nodeOf(operation.params).properties ?? {})
  const query = Object.entries(nodeOf(operation.query).properties ?? {})
  const body = bodyReader(operation.body)

  return {
    params(raw) {
      for (const [name, node] of params) readText(name, node, raw[name] ?? '')
      return { ...raw }
    },
    // Parameters that the operation does not have are passed over.
    query(raw) {
      const values: Record<string, unknown> = {}
      for (const [name, node] of query) {
        const value = readParameter(name, node, raw[name])
        if (value !== undefined) values[name] = value
      }
      return values
    },
    body,
  }
}

function readParameter(name: string, node: Node, given: RawQuery[string]): unknown {
  if (given === undefined) return node.default
  if (typeof given !== 'string') refuse({ path: name, reason: 'must be given once' })
  return readText(name, node, given as string)
}

/** Text converted to the kind that is declared: a query has no other. */
function readText(name: string, node: Node, given: string): unknown {
  // A plus sign that was not escaped arrives as a blank, and no date-time has one.
  const text = node.leaf === 'dateTime' ? given.replace(' ', '+') : given
  const value = converted(node, text)
  if (value === undefined) refuse({ path: name, reason: `must be ${expectation(node)}` })
  return value
}

function converted(node: Node, text: string): unknown {
  if (node.leaf) return leaves[node.leaf].test(text) ? text : undefined
  if (node.enum) return node.enum.includes(text) ? text : undefined
  switch (node.type) {
    case 'boolean':
      return { true: true, false: false }[text]
    case 'integer': {
      const value = Number(text)
      const { minimum = -Infinity, maximum = Infinity } = node
      return /^-?\d+$/.test(text) && value >= minimum && value <= maximum ? value : undefined
    }
    default:
      return [...text].length <= (node.maxLength ?? Infinity) ? text : undefined
  }
}

function bodyReader(schema: TSchema | undefined): (raw: unknown) => unknown {
  if (!schema) return () => undefined
  const { problems } = validator(schema)
  return (raw) => {
    const [problem] = problems(raw)
    if (problem) refuse({ ...problem, path: problem.path || 'the body' })
    return raw
  }
}

function refuse(problem: Problem): never {
  throw new ProviderError('invalid_request', sentenceOf(problem))
}
