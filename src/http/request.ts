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
import type { RawQuery } from '../platform/cds/query.ts'

/** The path as sent, without the query. */
export function readPath({ url }: Pick<FastifyRequest, 'url'>): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

/** Validates the parts of a request. `problemsMax` limits how many problems of a body are reported. */
export function createRequestReader(operation: Operation, problemsMax = 1) {
  const params = Object.entries(asNode(operation.params).properties ?? {})
  const query = Object.entries(asNode(operation.query).properties ?? {})
  const headers = Object.entries(
    operation.requestHeaders ? (asNode(operation.requestHeaders).properties ?? {}) : {},
  )
  const readBody = bodyReader(operation, problemsMax)

  const readParams = (given: unknown): Record<string, string> => {
    const raw = given as Readonly<Record<string, string>>
    for (const [name, node] of params) {
      // A read does not find it.
      if (mayStore(operation) && operation.method !== 'GET') requireNoNul(name, raw[name])
      readText(name, node, raw[name] ?? '')
    }
    return { ...raw }
  }
  /** Unknown parameters are ignored. */
  const readQuery = (given: unknown): Record<string, unknown> => {
    const raw = given as RawQuery
    const values: Record<string, unknown> = {}
    for (const [name, node] of query) {
      const value = readParameter(name, node, raw[name])
      if (value !== undefined) values[name] = value
    }
    return values
  }
  /** Only the headers that the operation declares. */
  const readHeaders = (raw: IncomingHttpHeaders): Record<string, unknown> => {
    const values: Record<string, unknown> = {}
    for (const [name, node] of headers) {
      const given = raw[name]
      if (given !== undefined) values[name] = readText(name, node, String(given))
    }
    return values
  }
  return {
    readParams,
    readBody,
    readInput: (request: FastifyRequest) => ({
      params: readParams(request.params),
      query: readQuery(request.query),
      headers: readHeaders(request.headers),
      body: readBody(request.body),
    }),
  }
}

export type RequestInput = ReturnType<ReturnType<typeof createRequestReader>['readInput']>

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
