import type { AnyInput } from '../../client/request.ts'
import { pathId } from '../../contract/ids.ts'
import {
  ContractError,
  findProblems,
  formatProblem,
  type Input,
  normalizer,
  type Operation,
  type OperationOf,
  type Problem,
  printable,
  problemsMax,
  providerOperations,
} from '../../contract/index.ts'
import { parseText } from '../../contract/parse-text.ts'
import { describeExpected, describeExpectedOf } from '../../contract/problems.ts'
import { asNode, type Node } from '../../contract/schema.ts'

export type ExplorerCall = Input<OperationOf<'callProvider'>>['body']

/** Validates a call by the definition of its operation. Throws an error that names every invalid field. */
export function readCall({ operation: id, params = {}, query = {}, body }: ExplorerCall) {
  const operation: Operation = providerOperations[id]
  const problems = [
    ...findParameterProblems('params', asNode(operation.params), params),
    ...findMissing(asNode(operation.params), params),
    ...findParameterProblems('query', asNode(operation.query), query),
    ...findBodyProblems(operation, body),
  ]
  if (problems.length > 0) {
    const sentences = problems.slice(0, problemsMax).map(formatProblem)
    throw new ContractError('invalid_request', sentences.join('; '))
  }
  const values = params as Readonly<Record<string, string | number | boolean>>
  const texts = Object.entries(values).map(([name, value]) => [name, String(value)])
  const input: AnyInput = { params: Object.fromEntries(texts), query: { ...query }, body }
  return { id, operation, input }
}

/** Values may have their own type or be text, as in a URL. */
function findParameterProblems(
  part: 'params' | 'query',
  { properties = {} }: Node,
  given: object,
): Problem[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const node = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!node) {
      const path = `${part}.${printable(name)}`
      return { path, reason: 'is not a parameter of this operation' }
    }
    const path = `${part}.${name}`
    const isScalar = ['string', 'number', 'boolean'].includes(typeof value)
    if (!isScalar) return { path, reason: `must be ${describeExpected(node)}` }
    const text = String(value)
    if (part === 'params' && !pathId.test(text)) return { path, reason: `must be ${pathId.mustBe}` }
    // A URL cannot contain half of a surrogate pair.
    if (!text.isWellFormed()) return { path, reason: 'must be well-formed Unicode' }
    if (parseText(node, text) !== undefined) return []
    return { path, reason: `must be ${describeExpectedOf(node, text)}` }
  })
}

function findMissing({ properties = {} }: Node, params: object): Problem[] {
  return Object.keys(properties)
    .filter((name) => !Object.hasOwn(params, name))
    .map((name) => ({ path: `params.${name}`, reason: 'is required' }))
}

function findBodyProblems({ body: schema }: Operation, body: object | undefined): Problem[] {
  if (!schema)
    return body === undefined ? [] : [{ path: 'body', reason: 'is not part of this operation' }]
  if (body === undefined) return [{ path: 'body', reason: 'is required' }]
  return findProblems(schema, normalizer(schema)(body), problemsMax).map(({ path, reason }) => ({
    path: path ? `body.${path}` : 'body',
    reason,
  }))
}
