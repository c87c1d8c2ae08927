import {
  type CdsDetailVersion,
  type CdsListVersion,
  cdsListVersions,
} from '../../contract/cds/mapping.ts'
import { type CdsEndpoint, cdsEndpoints } from '../../contract/cds/shared/endpoints.ts'
import { buildExample } from '../../contract/openapi/example.ts'
import { buildSchema, type Components } from '../../contract/openapi/schemas.ts'
import { toPascalCase } from '../../contract/openapi/value-lists.ts'
import { asNode, type Node } from '../../contract/schema.ts'
import { publishedEndpoints, publishedParameters } from '../catalogue/published-answers.ts'
import { type DiscoveryId, discoveryEndpoints } from '../cds/discovery.ts'
import { accountErrors } from '../cds/errors.ts'
import { cdsBasePath } from '../cds/paths.ts'
import type { PublicEndpoint } from '../cds/public-answer.ts'
import type { Parameters } from '../cds/query.ts'
import type { Schema } from './components.ts'
import { describeVersions, outagesSchema, statusSchema } from './envelope.ts'
import type { HeaderName } from './headers.ts'
import type { ApiErrorName, ApiOperation } from './operation.ts'
import {
  buildPathParameters,
  buildQueryParameters,
  buildVersionParameters,
  entityTagParameter,
  interactionParameter,
  tokenParameters,
} from './parameters.ts'
import { describeListedProduct, describeProductDetail } from './product-schema.ts'

const commonHeaders: readonly HeaderName[] = ['x-fapi-interaction-id', 'Cache-Control']
const openHeaders: readonly HeaderName[] = [
  ...commonHeaders,
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
]
const cachedHeaders: readonly HeaderName[] = [...openHeaders, 'ETag', 'Vary', 'x-v']

/** Errors of every endpoint. */
const commonErrors = [
  'missingHeader',
  'invalidVersion',
  'notAcceptable',
  'unsupportedVersion',
  'unexpected',
  'unavailable',
] as const satisfies readonly ApiErrorName[]

const tokenErrors = [
  'invalidHeader',
  'invalidToken',
  'insufficientScope',
  'sharingRefused',
  'customerUnavailable',
  'tooManyRequests',
] as const satisfies readonly ApiErrorName[]

/** The operations for data of customers, from the table that the routes are made of. */
export function listDataOperations(components: Components): ApiOperation[] {
  return Object.values<CdsEndpoint>(cdsEndpoints).map((endpoint) => {
    const { method, path, summary, logName, scope, versions, parameters, body, response } = endpoint
    const id = toOperationId(summary)
    const content = describeVersions(
      id,
      path,
      versions,
      (version) => response.record.describe(version),
      response.list,
    )
    return {
      id,
      method,
      path: cdsBasePath + path,
      tag: 'data',
      summary,
      description: `An endpoint of the Consumer Data Standards. Requires the scope \`${scope}\`.`,
      reference: `cds-${logName}`,
      security: { scope },
      parameters: [
        ...buildPathParameters(path),
        ...buildQueryParameters(parameters, components),
        ...buildVersionParameters(versions),
        ...tokenParameters,
      ],
      ...(body && {
        json: {
          schema: buildSchema(asNode(body), { ...components, direction: 'request', listName: '' }),
          example: buildExample(asNode(body)),
        },
      }),
      responses: {
        200: {
          description: 'The shared data.',
          headers: [...commonHeaders, 'x-v'],
          content,
        },
      },
      errors: [
        ...commonErrors,
        ...tokenErrors,
        ...listParameterErrors(parameters),
        ...listAccountErrors(endpoint),
      ],
    }
  })
}

/** The operations that need no token. */
export function listPublicOperations(components: Components): ApiOperation[] {
  const newest = publishedParameters.get(cdsListVersions[cdsListVersions.length - 1] ?? 5)
  const products: Readonly<Record<keyof typeof publishedEndpoints, Described>> = {
    products: {
      describe: (version) => describeListedProduct(version as CdsListVersion),
      list: 'products',
      parameters: newest ?? {},
      errors: [],
    },
    product: {
      describe: (version) => describeProductDetail(version as CdsDetailVersion),
      parameters: {},
      errors: ['unknownProduct'],
    },
  }
  const discovery: Readonly<Record<DiscoveryId, Described>> = {
    status: { describe: () => statusSchema, parameters: {}, errors: [] },
    outages: { describe: () => outagesSchema, parameters: {}, errors: [] },
  }
  const list = <Key extends string>(
    tag: ApiOperation['tag'],
    endpoints: Readonly<Record<Key, PublicEndpoint>>,
    described: Readonly<Record<Key, Described>>,
  ) =>
    (Object.keys(endpoints) as Key[]).map((key) =>
      toPublicOperation(`cds-${key}`, tag, endpoints[key], described[key], components),
    )
  return [
    ...list('products', publishedEndpoints, products),
    ...list('discovery', discoveryEndpoints, discovery),
  ]
}

interface Described {
  readonly describe: (version: number) => Schema
  readonly list?: string
  readonly parameters: Parameters
  readonly errors: readonly ApiErrorName[]
}

function toPublicOperation(
  reference: string,
  tag: ApiOperation['tag'],
  { path, summary, versions }: PublicEndpoint,
  { describe, list, parameters, errors }: Described,
  components: Components,
): ApiOperation {
  const id = toOperationId(summary)
  return {
    id,
    method: 'GET',
    path: cdsBasePath + path,
    tag,
    summary,
    description: 'An endpoint of the Consumer Data Standards. No token is required.',
    reference,
    security: 'none',
    parameters: [
      ...buildPathParameters(path),
      ...buildQueryParameters(parameters, components),
      ...buildVersionParameters(versions),
      entityTagParameter,
      interactionParameter,
    ],
    responses: {
      200: {
        description: 'The public data.',
        headers: cachedHeaders,
        content: describeVersions(id, path, versions, describe, list),
      },
      304: {
        description: 'The cached copy is still current. The response has no body.',
        headers: cachedHeaders,
      },
    },
    errors: [...commonErrors, ...listParameterErrors(parameters), ...errors],
  }
}

/** `Get Account Detail` becomes `getAccountDetail`. */
function toOperationId(summary: string): string {
  const [first = '', ...others] = summary.split(' ')
  return first.toLowerCase() + others.map(toPascalCase).join('')
}

function listParameterErrors(parameters: Parameters): readonly ApiErrorName[] {
  const nodes: readonly Node[] = Object.values(parameters)
  return [
    ...(nodes.length > 0 ? (['invalidField'] as const) : []),
    ...(nodes.some(({ scalar }) => scalar === 'dateTime') ? (['invalidDate'] as const) : []),
    ...('page-size' in parameters ? (['invalidPageSize'] as const) : []),
    ...('page' in parameters ? (['invalidPage'] as const) : []),
  ]
}

function listAccountErrors({ accounts, path, body }: CdsEndpoint): readonly ApiErrorName[] {
  if (!accounts) return []
  const { unknown, unavailable, unknownInBody, unavailableInBody } = accountErrors[accounts]
  if (body) {
    const general = [
      'missingField',
      'invalidField',
      'bodyTooLarge',
      'unsupportedMediaType',
    ] as const
    return [...general, unknownInBody, unavailableInBody]
  }
  return path.includes('{accountId}') ? [unknown, unavailable] : []
}
