import { parameterExamples } from '../../contract/examples/parameters.ts'
import { buildSchema, type Components, type Json } from '../../contract/openapi/schemas.ts'
import { toPascalCase } from '../../contract/openapi/value-lists.ts'
import { responseHeaders } from '../../contract/response-headers.ts'
import type { Node } from '../../contract/schema.ts'
import type { Parameters } from '../cds/query.ts'

const pathParameters: Readonly<Record<string, string>> = {
  accountId: 'The id of a shared account, as returned by `getAccounts` or `getEnergyAccounts`.',
  productId: 'The id of a product, as returned by `getProducts`.',
}

export function buildPathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: pathParameters[name] ?? `The \`${name}\`.`,
    schema: { type: 'string' },
    example: name === 'productId' ? parameterExamples['productID'] : parameterExamples[name],
  }))
}

const queryDescriptions: Readonly<Record<string, string>> = {
  'is-owned':
    'true: only accounts that the customer owns. false: only accounts that the customer does not own.',
  'product-category': 'Only those of this category.',
}

export function buildQueryParameters(parameters: Parameters, components: Components): Json[] {
  return Object.entries(parameters).map(([name, node]: [string, Node]) => {
    const listName = `${toPascalCase(name)}Filter`
    const context = { ...components, direction: 'request', listName } as const
    const { description, ...schema } = buildSchema(node, context)
    const example = parameterExamples[name]
    const isListed = !node.enum || node.enum.includes(String(example))
    return {
      name,
      in: 'query',
      description: description ?? queryDescriptions[name],
      schema,
      example: isListed ? example : node.enum?.[0],
    }
  })
}

export function buildVersionParameters([min, max]: readonly [number, number]): Json[] {
  const schema = { type: 'string', pattern: '^0*[1-9]\\d*$' }
  return [
    {
      name: 'x-v',
      in: 'header',
      required: true,
      description: `The highest version that the client accepts. The platform has ${min === max ? `version ${max}` : `versions ${min} to ${max}`}.`,
      schema,
      example: String(max),
    },
    {
      name: 'x-min-v',
      in: 'header',
      description: 'The lowest version that the client accepts. Default: that of `x-v`.',
      schema,
      example: String(min),
    },
  ]
}

const interactionHeader = 'x-fapi-interaction-id'
export const interactionParameter: Json = {
  name: interactionHeader,
  in: 'header',
  ...responseHeaders[interactionHeader],
}

export const entityTagParameter: Json = {
  name: 'if-none-match',
  in: 'header',
  description: 'The `ETag` of a cached response. If it is still current, the response is 304.',
  schema: { type: 'string' },
  example: '"rW8bXkM1"',
}

export const tokenParameters: readonly Json[] = [
  {
    name: 'x-fapi-auth-date',
    in: 'header',
    description: 'When the customer last signed in to the third party, as an HTTP date.',
    schema: { type: 'string' },
    example: 'Thu, 19 Nov 2026 00:00:00 GMT',
  },
  {
    name: 'x-fapi-customer-ip-address',
    in: 'header',
    description:
      'The IP address of the customer, in requests that the customer waits for. Other requests have lower limits.',
    schema: { type: 'string' },
    example: '203.0.113.7',
  },
  interactionParameter,
]
