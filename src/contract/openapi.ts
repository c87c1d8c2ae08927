import { type ErrorCode, errorTable } from './errors.ts'
import { examples } from './examples/index.ts'
import { type Base, listErrors, type Operation, type Protection } from './operation.ts'
import { issueToken } from './operations/access.ts'
import { operations } from './operations/index.ts'
import { ErrorBody } from './operations/shared-parameters.ts'
import { toJsonSchema } from './rules.ts'
import { scalars } from './scalars.ts'
import { asNode, type Node } from './schema.ts'
import type { Scope } from './scopes.ts'

type Json = Record<string, unknown>

/** Builds the OpenAPI 3.1 document from the operations. */
export function buildOpenApiDocument(version: string): Json {
  const components = new Map<string, Json>()
  const paths: Record<string, Json> = {}
  for (const [id, operation] of Object.entries<Operation>(operations)) {
    paths[operation.path] = {
      servers: [servers[operation.base]],
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationObject(id, operation, components),
    }
  }

  return {
    openapi: '3.1.1',
    info: {
      title: 'Consented data sharing provider interface',
      version,
      description:
        'The API of a bank or an energy retailer that shares its customers’ data with a platform with their consent, and the API of the platform’s product catalogue.',
      contact: { name: 'The Holdfast project' },
      license: {
        name: 'Apache-2.0',
        url: 'https://www.apache.org/licenses/LICENSE-2.0',
      },
    },
    servers: [servers.provider],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes,
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

const tags = {
  access: 'Tokens for API clients, and the public keys of the platform.',
  banking: 'Accounts, balances, transactions and payments of one customer.',
  catalogue: 'The products of the platform, with rates, fees, features and eligibility.',
  consent: 'The consent flow: identify the customer and list the accounts that can be shared.',
  contact: 'Contact details of the holders of an account.',
  energy: 'Accounts, plans, invoices and billing of one customer.',
} satisfies Record<Operation['tag'], string>

const servers = {
  provider: server('provider_url', 'http://127.0.0.1:8080', 'The data provider'),
  resource: server('resource_url', 'http://127.0.0.1:8080', 'The contact endpoint'),
  platform: server('base_url', 'http://127.0.0.1:8081', 'The platform'),
} satisfies Record<Base, Json>

const securitySchemes = {
  platformToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'A JWT that the platform signs for one resource and one use. `iss` and `sub` are the subdomain of the provider, `aud` is the URI of the resource without its query, `exp` and `jti` are required.',
  },
  clientToken: {
    type: 'oauth2',
    description: 'The token of an API client, with the scope that the operation requires.',
    flows: {
      clientCredentials: {
        tokenUrl: issueToken.path,
        scopes: {
          'products.read': 'Read the history of products.',
          'products.write': 'Create, replace and delete products, and read their history.',
        } satisfies Record<Scope, string>,
      },
    },
  },
} satisfies Record<Exclude<Protection, 'none'>, Json>

const interactionId = {
  description:
    'Correlates a request with its response. The server generates one if the request has none.',
  schema: { type: 'string', format: 'uuid' },
}

function server(name: string, address: string, description: string): Json {
  return { url: `{${name}}`, description, variables: { [name]: { default: address } } }
}

function operationObject(id: string, operation: Operation, components: Map<string, Json>): Json {
  const { body, deprecated, description, form, protection, ref, requestHeaders, scope, summary } =
    operation
  const scoped = scope && `Requires the scope \`${scope}\`.`
  const replaced = deprecated && `Deprecated: use ${deprecated.successor} instead.`
  return {
    operationId: id,
    summary,
    description: [description, scoped, replaced, `Reference ${ref}.`].filter(Boolean).join(' '),
    tags: [operation.tag],
    ...(deprecated && { deprecated: true }),
    security: protection === 'none' ? [] : [{ [protection]: scope ? [scope] : [] }],
    parameters: [
      ...parameters('path', asNode(operation.params), components),
      ...parameters('query', asNode(operation.query), components),
      ...(requestHeaders ? parameters('header', asNode(requestHeaders), components) : []),
      { name: 'x-fapi-interaction-id', in: 'header', ...interactionId },
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: {
          ...content(asNode(body), components),
          ...(form && { 'application/x-www-form-urlencoded': mediaType(asNode(form), components) }),
        },
      },
    }),
    responses: {
      [operation.status]: success(operation, components),
      ...(isConditional(operation) && { 304: notModified }),
      ...failures(operation, components),
    },
  }
}

function isConditional({ requestHeaders }: Operation): boolean {
  return 'if-none-match' in (requestHeaders?.properties ?? {})
}

const notModified = {
  description: 'Not modified: the cached copy is still current.',
  headers: { 'x-fapi-interaction-id': interactionId },
}

function parameters(place: string, node: Node, components: Map<string, Json>): Json[] {
  return Object.entries(node.properties ?? {}).map(([name, type]) => {
    const { description, ...schema } = buildSchema(type, components)
    const required = place === 'path' || undefined
    return { name, in: place, ...(required && { required }), description, schema }
  })
}

function success(operation: Operation, components: Map<string, Json>): Json {
  const { deprecated, headers = {}, response, summary } = operation
  const named = {
    ...headers,
    ...(deprecated && {
      Deprecation: 'The date since which the operation is deprecated (RFC 9745).',
      Link: 'The operation to use instead, with `rel="successor-version"`.',
    }),
  }
  return {
    description: `${summary}: success.`,
    headers: { 'x-fapi-interaction-id': interactionId, ...headerObjects(named) },
    ...(response && {
      content: content(asNode(response), components, exampleLinks(operation)),
    }),
  }
}

/** Links repeat the time window of the request. */
function exampleLinks({ query }: Operation): string {
  const bounds = Object.keys(query.properties).filter((name) => /^(oldest|newest)-/.test(name))
  return bounds
    .map((name) => {
      const year = name.startsWith('oldest') ? 2024 : 2025
      const time = name.endsWith('-time') ? 'T00%3A00%3A00Z' : ''
      return `&${name}=${year}-04-01${time}`
    })
    .join('')
}

/** One response per status, with an example for each error. */
function failures(operation: Operation, components: Map<string, Json>): Json {
  const codes = Map.groupBy(listErrors(operation), (code) => errorTable[code].status)
  return Object.fromEntries(
    [...codes].map(([status, group]) => [status, failure(status, group, components)]),
  )
}

function failure(status: number, codes: readonly ErrorCode[], components: Map<string, Json>): Json {
  const headers = {
    ...(status === 401 && {
      'WWW-Authenticate': 'The authentication scheme. It never contains the reason.',
    }),
    ...((status === 429 || status === 503) && {
      'Retry-After': 'Seconds to wait before the next request.',
    }),
  }
  const shown = codes.map((code) => [code, { value: { error: exampleText(code) } }])
  return {
    description: codes.map((code) => errorTable[code].message).join(', or '),
    headers: { 'x-fapi-interaction-id': interactionId, ...headerObjects(headers) },
    content: {
      'application/json': {
        schema: buildSchema(asNode(ErrorBody), components),
        examples: Object.fromEntries(shown),
      },
    },
  }
}

function exampleText(code: ErrorCode): string {
  const row = errorTable[code]
  return 'example' in row ? row.example : row.message
}

function headerObjects(headers: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  )
}

function content(node: Node, components: Map<string, Json>, links = ''): Json {
  return { 'application/json': mediaType(node, components, links) }
}

function mediaType(node: Node, components: Map<string, Json>, links = ''): Json {
  return { schema: buildSchema(node, components), example: buildExample(node, links) }
}

/** The example of a schema: its own if it has one, otherwise built from the examples of its fields. */
export function buildExample(node: Node, links = ''): unknown {
  const own = node.name ? examples[node.name]?.[0] : undefined
  if (own && node.name === 'Links') {
    return Object.fromEntries(Object.entries(own).map(([name, link]) => [name, link + links]))
  }
  if (own !== undefined) return own
  if (node.anyOf) return buildExample(node.anyOf[0] ?? {})
  if (node.items) return [buildExample(node.items)]
  const fields = Object.entries(node.properties ?? {})
  return Object.fromEntries(fields.map(([field, type]) => [field, buildExample(type, links)]))
}

/** Converts to JSON Schema. Named schemas become components and are referenced. */
function buildSchema(node: Node, components: Map<string, Json>): Json {
  if (!node.name) return plainSchema(node, components)
  if (!components.has(node.name)) {
    components.set(node.name, {})
    components.set(node.name, plainSchema(node, components))
  }
  const reference = { $ref: `#/components/schemas/${node.name}` }
  return node.fieldDescription ? { ...reference, description: node.fieldDescription } : reference
}

function plainSchema(node: Node, components: Map<string, Json>): Json {
  const {
    name: _,
    fieldDescription,
    scalar,
    acceptsNumber,
    rules = [],
    aliases,
    ignores,
    ...shown
  } = node
  const { ignoresWhenPresent, ...rest } = shown
  const { properties, items, anyOf, enum: values } = node
  return {
    ...(values && { type: 'string' }),
    ...rest,
    ...(scalar && scalars[scalar].schema),
    ...(properties && {
      properties: {
        ...mapValues(properties, (type) => buildSchema(type, components)),
        ...inputOnlyFields(node),
      },
    }),
    ...(items && { items: buildSchema(items, components) }),
    ...(anyOf && { anyOf: anyOf.map((branch) => buildSchema(branch, components)) }),
    ...(rules.length > 0 && { allOf: rules.map(toJsonSchema) }),
  }
}

/** Aliases and ignored fields, which are accepted in input only. */
function inputOnlyFields({ aliases = {}, ignores = [] }: Node): Json {
  const deprecated = (description: string) => ({ description, deprecated: true })
  return {
    ...mapValues(aliases, (field) => deprecated(`An alias of \`${field}\`.`)),
    ...Object.fromEntries(ignores.map((field) => [field, deprecated('Accepted and ignored.')])),
  }
}

function mapValues<T>(fields: Readonly<Record<string, T>>, change: (value: T) => Json): Json {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, change(value)]))
}
