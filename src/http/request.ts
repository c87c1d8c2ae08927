import type { IncomingHttpHeaders } from 'node:http'
import type { TSchema } from 'typebox'
import {
  ContractError,
  countCharacters,
  formatProblem,
  normalizer,
  type Operation,
  type Problem,
  validator,
} from '../contract/index.ts'
import { scalars } from '../contract/scalars.ts'
import { asNode, type Node } from '../contract/schema.ts'
import { describeExpected } from '../contract/validate.ts'

/** The query as Fastify reads it: a parameter that is given twice is a list. */
export type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>

export interface RequestReader {
  readonly params: (raw: Readonly<Record<string, string>>) => Record<string, string>
  readonly query: (raw: RawQuery) => Record<string, unknown>
  /** Those that the operation has. */
  readonly headers: (raw: IncomingHttpHeaders) => Record<string, unknown>
  readonly body: (raw: unknown) => unknown
}

/** Reads what an operation takes, or says what is wrong with it: as many mistakes of a body as is told. */
export function createRequestReader(operation: Operation, mistakesMax = 1): RequestReader {
  const params = Object.entries(asNode(operation.params).properties ?? {})
  const query = Object.entries(asNode(operation.query).properties ?? {})
  const headers = Object.entries(
    operation.requestHeaders ? (asNode(operation.requestHeaders).properties ?? {}) : {},
  )
  const body = bodyReader(operation.body, mistakesMax)

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
    headers(raw) {
      const values: Record<string, unknown> = {}
      for (const [name, node] of headers) {
        const given = raw[name]
        if (given !== undefined) values[name] = readText(name, node, String(given))
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
  const text = node.scalar === 'dateTime' ? given.replace(' ', '+') : given
  const value = converted(node, text)
  if (value === undefined) refuse({ path: name, reason: `must be ${describeExpected(node)}` })
  return value
}

const booleans = new Map([
  ['true', true],
  ['false', false],
])

function converted(node: Node, text: string): unknown {
  if (node.scalar) return scalars[node.scalar].test(text) ? text : undefined
  if (node.enum) return node.enum.includes(text) ? text : undefined
  switch (node.type) {
    case 'boolean':
      return booleans.get(text)
    case 'integer': {
      const value = Number(text)
      const { minimum = -Infinity, maximum = Infinity } = node
      return /^-?\d+$/.test(text) && value >= minimum && value <= maximum ? value : undefined
    }
    default: {
      const { minLength = 0, maxLength = Infinity } = node
      const length = countCharacters(text)
      return length >= minLength && length <= maxLength ? text : undefined
    }
  }
}

function bodyReader(schema: TSchema | undefined, mistakesMax: number): (raw: unknown) => unknown {
  if (!schema) return () => undefined
  const { problems } = validator(schema)
  const respell = normalizer(schema)
  return (raw) => {
    const body = respell(raw)
    const mistakes = problems(body, mistakesMax)
    if (mistakes.length === 0) return body
    const named = mistakes.map((each) => ({ ...each, path: each.path || 'the body' }))
    throw new ContractError('invalid_request', named.map(formatProblem).join('; '))
  }
}

function refuse(problem: Problem): never {
  throw new ContractError('invalid_request', formatProblem(problem))
}
