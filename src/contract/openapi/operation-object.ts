import type { TSchema } from 'typebox'
import { type ErrorCode, errorTable } from '../errors.ts'
import { batchLines } from '../examples/intake.ts'
import { parameterExamples } from '../examples/parameters.ts'
import { extensionNote, listErrors, type Operation } from '../operation.ts'
import { operations } from '../operations/index.ts'
import { ErrorBody, errorBodies } from '../operations/shared-parameters.ts'
import { refusalHeader, refusalStatuses } from '../refusals.ts'
import { type ResponseHeader, responseHeaders } from '../response-headers.ts'
import { asNode, type Node } from '../schema.ts'
import { buildExample, buildExampleLinks } from './example.ts'
import { buildSchema, type Components, type Json, type SchemaContext } from './schemas.ts'
import { toPascalCase } from './value-lists.ts'

const interactionHeader = 'x-fapi-interaction-id'

/** Headers of every response. */
const commonHeaders: readonly ResponseHeader[] = [interactionHeader, 'Cache-Control']

/** Builds the Operation Object of OpenAPI. Its schemas are added to the components. */
export function buildOperation(id: string, operation: Operation, components: Components): Json {
  const { body, deprecated, form, isExtension, lines, protection, ref, requestHeaders, scope } =
    operation
  return {
    operationId: id,
    summary: operation.summary,
    description: describeOperation(operation),
    tags: [operation.tag],
    ...(deprecated && { deprecated: true }),
    security: protection === 'none' ? [] : [{ [protection]: scope ? [scope] : [] }],
    parameters: [
      ...buildParameters('path', asNode(operation.params), components),
      ...buildParameters('query', asNode(operation.query), components),
      ...(requestHeaders ? buildParameters('header', asNode(requestHeaders), components) : []),
      { name: interactionHeader, in: 'header', ...responseHeaders[interactionHeader] },
    ],
    ...(body && { requestBody: buildRequestBody(body, form, components) }),
    ...(lines && { requestBody: buildLinesBody(lines) }),
    responses: {
      [operation.status]: buildSuccess(operation, components),
      ...(isConditional(operation) && { 304: buildNotModified(operation, components) }),
      ...buildFailures(operation, components),
    },
    // The name of the operation in logs, metrics and the documentation.
    'x-reference': ref,
    ...(isExtension && { 'x-extension': true }),
  }
}

function describeOperation({ deprecated, description, isExtension, scope }: Operation): string {
  return [
    description,
    ...(scope ? [`Requires the scope \`${scope}\`.`] : []),
    ...(isExtension ? [extensionNote] : []),
    ...(deprecated
      ? [`Deprecated: use \`${findOperationId(deprecated.successor)}\` instead.`]
      : []),
  ].join(' ')
}

function findOperationId(ref: string): string {
  const found = Object.entries<Operation>(operations).find(([, operation]) => operation.ref === ref)
  if (!found) throw new TypeError(`no operation has the reference ${ref}`)
  return found[0]
}

function isConditional({ method, requestHeaders }: Operation): boolean {
  return method === 'GET' && 'if-none-match' in (requestHeaders?.properties ?? {})
}

function buildParameters(place: string, node: Node, components: Components): Json[] {
  return Object.entries(node.properties ?? {}).map(([name, type]) => {
    const listName = `${toPascalCase(name)}Filter`
    const { description, ...schema } = buildSchema(type, inRequest(components, listName))
    return {
      name,
      in: place,
      ...(place === 'path' && { required: true }),
      description,
      schema,
      example: chooseExample(name, type),
    }
  })
}

/** The first value of a list without the example: parameters of one name may have different lists. */
function chooseExample(name: string, { enum: list }: Node) {
  const example = parameterExamples[name]
  return list && !list.includes(String(example)) ? list[0] : example
}

function buildRequestBody(body: TSchema, form: TSchema | undefined, components: Components): Json {
  const mediaType = (node: Node) => ({
    schema: buildSchema(node, inRequest(components)),
    example: buildExample(node),
  })
  return {
    required: true,
    description: asNode(body).description,
    content: {
      'application/json': mediaType(asNode(body)),
      ...(form && { 'application/x-www-form-urlencoded': mediaType(asNode(form)) }),
    },
  }
}

function buildLinesBody(description: string): Json {
  const lines = { schema: { type: 'string' }, example: batchLines }
  return { required: true, description, content: { 'application/x-ndjson': lines } }
}

function buildSuccess(operation: Operation, components: Components): Json {
  const { events, headers = [], response } = operation
  const node = response && asNode(response)
  return {
    description: operation.result ?? node?.description,
    headers: referHeaders(operation, headers, components),
    ...(node && {
      content: {
        'application/json': {
          schema: buildSchema(node, inResponse(components)),
          example: buildExample(node, buildExampleLinks(operation)),
        },
      },
    }),
    ...(events && { content: { 'text/event-stream': buildEvents(asNode(events), components) } }),
  }
}

/** OpenAPI 3.1 describes the whole stream as one text. Its content is the data of an event. */
function buildEvents(node: Node, components: Components): Json {
  const contentSchema = buildSchema(node, inResponse(components))
  return {
    schema: { type: 'string', contentMediaType: 'application/json', contentSchema },
    example: `event: sample\ndata: ${JSON.stringify(buildExample(node))}\n\n`,
  }
}

function buildNotModified(operation: Operation, components: Components): Json {
  return {
    description: 'The cached copy is still current. The response has no body.',
    headers: referHeaders(operation, operation.headers ?? [], components),
  }
}

/** One response per status, with an example for each error. */
function buildFailures(operation: Operation, components: Components): Json {
  const codes = Map.groupBy(listErrors(operation), (code) => errorTable[code].status)
  return Object.fromEntries(
    [...codes].map(([status, group]) => [
      status,
      {
        description: `The error is ${group.map(describeError).join(' or ')}.`,
        headers: referHeaders(operation, failureHeaders(operation, status), components),
        content: {
          'application/json': {
            schema: buildSchema(asNode(findErrorBody(group)), inResponse(components)),
            examples: Object.fromEntries(
              group.map((code) => [code, { value: buildErrorExample(code) }]),
            ),
          },
        },
      },
    ]),
  )
}

function failureHeaders({ protection }: Operation, status: number): ResponseHeader[] {
  const mayRefuse = protection === 'platformToken' && refusalStatuses.includes(status)
  return [
    ...(status === 401 || (status === 403 && !mayRefuse) ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ...(mayRefuse ? [refusalHeader] : []),
  ]
}

/** Where the table has an example, the text depends on the request. */
function describeError(code: ErrorCode): string {
  const row = errorTable[code]
  return 'example' in row ? `a sentence that states ${row.states}` : `"${row.message}"`
}

/** An error with additional members has a status of its own. */
function findErrorBody(codes: readonly ErrorCode[]): TSchema {
  return codes.map((code) => errorBodies[code]).find((body) => body !== undefined) ?? ErrorBody
}

function buildErrorExample(code: ErrorCode): unknown {
  const body = errorBodies[code]
  if (body) return buildExample(asNode(body))
  const row = errorTable[code]
  return { error: 'example' in row ? row.example : row.message }
}

function referHeaders(
  { crossOrigin, deprecated }: Operation,
  specific: readonly ResponseHeader[],
  { headers }: Components,
): Json {
  const names = [
    ...commonHeaders,
    ...(crossOrigin ? (['Access-Control-Allow-Origin'] as const) : []),
    ...(deprecated ? (['Deprecation', 'Link'] as const) : []),
    ...specific,
  ]
  for (const name of names) headers.add(name)
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function inRequest(components: Components, listName = ''): SchemaContext {
  return { ...components, direction: 'request', listName }
}

function inResponse(components: Components): SchemaContext {
  return { ...components, direction: 'response', listName: '' }
}
