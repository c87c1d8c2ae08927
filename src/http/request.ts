import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import {
  ContractError,
  findProblems,
  formatProblem,
  normalizer,
  type Operation,
  type Problem,
} from '../contract/index.ts'
import { parseText } from '../contract/parse-text.ts'
import { describeExpectedOf, findNul } from '../contract/problems.ts'
import { asNode, type Node } from '../contract/schema.ts'

/** The query as Fastify parses it: a repeated parameter is an array. */
export type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>

export interface RequestReader {
  readonly params: (raw: Readonly<Record<string, string>>) => Record<string, string>
  readonly query: (raw: RawQuery) => Record<string, unknown>
  /** Only the headers that the operation declares. */
  readonly headers: (raw: IncomingHttpHeaders) => Record<string, unknown>
  readonly body: (raw: unknown) => unknown
}

/** The path as sent, without the query. */
export function readPath({ url }: Pick<FastifyRequest, 'url'>): string {
  return url.split('?', 1)[0] ?? ''
}

/** Validates the parts of a request. `problemsMax` limits how many problems of a body are reported. */
export function createRequestReader(operation: Operation, problemsMax = 1): RequestReader {
  const params = Object.entries(asNode(operation.params).properties ?? {})
  const query = Object.entries(asNode(operation.query).properties ?? {})
  const headers = Object.entries(
    operation.requestHeaders ? (asNode(operation.requestHeaders).properties ?? {}) : {},
  )
  const body = bodyReader(operation, problemsMax)

  return {
    params(raw) {
      for (const [name, node] of params) {
        // A read does not find it.
        if (mayStore(operation) && operation.method !== 'GET') requireNoNul(name, raw[name])
        readText(name, node, raw[name] ?? '')
      }
      return { ...raw }
    },
    // Unknown parameters are ignored.
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
  if (typeof given !== 'string') reject({ path: name, reason: 'must be given once' })
  requireNoNul(name, given)
  return readText(name, node, given as string)
}

/** Converts text to the declared type. */
function readText(name: string, node: Node, given: string): unknown {
  // An unescaped plus sign of a UTC offset is decoded as a space, which no date-time contains.
  const text = node.scalar === 'dateTime' ? given.replace(' ', '+') : given
  const value = parseText(node, text)
  if (value === undefined) {
    reject({ path: name, reason: `must be ${describeExpectedOf(node, text)}` })
  }
  return value
}

/** A provider compares the ids of a request with stored ones, and has errors of its own for those that it does not find. */
function mayStore({ protection }: Operation): boolean {
  return protection !== 'platformToken'
}

function requireNoNul(path: string, value: unknown): void {
  const [problem] = findNul(value, path)
  if (problem) reject(problem)
}

function bodyReader(operation: Operation, problemsMax: number): (raw: unknown) => unknown {
  const { body: schema } = operation
  if (!schema) return () => undefined
  const normalize = normalizer(schema)
  return (raw) => {
    const body = normalize(raw)
    const found = findProblems(schema, body, problemsMax)
    if (found.length === 0 && mayStore(operation)) {
      found.push(...findNul(body).slice(0, problemsMax))
    }
    if (found.length === 0) return body
    const named = found.map((problem) => ({ ...problem, path: problem.path || 'the body' }))
    throw new ContractError('invalid_request', named.map(formatProblem).join('; '))
  }
}

function reject(problem: Problem): never {
  throw new ContractError('invalid_request', formatProblem(problem))
}
