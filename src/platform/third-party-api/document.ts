import { buildOpenApiDocument } from '../../contract/index.ts'
import type { PublishedDocumentName } from '../../contract/openapi/document-names.ts'
import { buildDocument, describeServer } from '../../contract/openapi/frame.ts'
import { type Json, openComponents } from '../../contract/openapi/schemas.ts'
import type { Node } from '../../contract/schema.ts'
import { metadataPaths, openidPaths } from '../consent/paths.ts'
import { describeScopes, identityClaims, openidScope } from '../consent/scopes.ts'
import { listAuthorisationOperations } from './authorisation-operations.ts'
import { openSchemas, type Schema } from './components.ts'
import { listDataOperations, listPublicOperations } from './data-operations.ts'
import { type HeaderName, headers } from './headers.ts'
import {
  type ApiOperation,
  type ApiResponse,
  apiErrors,
  type Content,
  type Security,
  tags,
} from './operation.ts'

/** That of `holdfast demo`. */
const localIssuer = 'http://127.0.0.1:8081'

/** Builds any of the documents. `version` is the version of Holdfast. */
export function buildPublishedDocument(
  name: PublishedDocumentName,
  version: string,
  issuer?: string,
): Json {
  return name === 'third-party'
    ? buildThirdPartyDocument(version, issuer)
    : buildOpenApiDocument(name, version)
}

/** The OpenAPI 3.1 document of what a platform serves to third parties. */
export function buildThirdPartyDocument(version: string, issuer = localIssuer): Json {
  const components = openComponents([] as Node[])
  const operations = [
    ...listAuthorisationOperations(),
    ...listDataOperations(components),
    ...listPublicOperations(components),
  ]
  const context = { refer: openSchemas(components.schemas), used: new Set<HeaderName>() }
  const paths: Record<string, Json> = {}
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: buildOperation(operation, context),
    }
  }
  const [scheme = '', host = ''] = issuer.replace(/\/$/, '').split('://')
  return buildDocument({
    title: 'Third-party API',
    version,
    description:
      'The API of a platform for third parties: the consent of customers, with OAuth 2.0 and OpenID Connect in the profiles of FAPI, and data as the Consumer Data Standards define it.',
    server: describeServer(serverDescription, scheme, host),
    tags: Object.entries(tags),
    paths,
    schemas: components.schemas,
    headers: [...context.used].map((name) => [name, headers[name]]),
    securitySchemes: buildSecuritySchemes(operations),
  })
}

const serverDescription =
  'The issuer. The host includes the port and the path, if there are any. The default is the issuer of the platform that returned the document, otherwise the local server of `holdfast demo`.'

interface Context {
  readonly refer: ReturnType<typeof openSchemas>
  /** The headers of all responses. */
  readonly used: Set<HeaderName>
}

function buildOperation(operation: ApiOperation, context: Context): Json {
  const { id, summary, description, tag, security, parameters, form, json, reference } = operation
  const responses = Object.entries(operation.responses).map(
    ([status, response]) => [status, buildResponse(id, response, context)] as const,
  )
  return {
    operationId: id,
    summary,
    description,
    tags: [tag],
    security: buildSecurity(security),
    parameters,
    ...(form && {
      requestBody: {
        required: true,
        description: 'A form.',
        content: { 'application/x-www-form-urlencoded': buildContent(id, form, context) },
      },
    }),
    ...(json && { requestBody: { required: true, content: { 'application/json': json } } }),
    responses: mergeResponses([...responses, ...buildErrors(operation, context)]),
    'x-reference': reference,
  }
}

function buildSecurity(security: Security): readonly Json[] {
  switch (security) {
    case 'none':
      return []
    case 'client':
      return [{ clientAssertion: [] }]
    case 'boundClient':
      return [
        { clientAssertion: [], dpopProof: [] },
        { clientAssertion: [], clientCertificate: [] },
      ]
    default: {
      const accessToken = [security.scope]
      return [
        { accessToken, dpopProof: [] },
        { accessToken, clientCertificate: [] },
      ]
    }
  }
}

function buildResponse(
  id: string,
  { description, content, headers }: ApiResponse,
  context: Context,
) {
  return {
    description,
    headers: referHeaders(headers, context),
    ...(content && { content: { 'application/json': buildContent(id, content, context) } }),
  }
}

/** Versions of the same form have one schema. */
function buildContent(id: string, { schemas, example }: Content, { refer }: Context): Json {
  const place = id.charAt(0).toUpperCase() + id.slice(1)
  const built = schemas.map(({ version, schema }) => refer(schema, place, version))
  const different = [...new Map(built.map((each) => [JSON.stringify(each), each])).values()]
  return { schema: different.length === 1 ? different[0] : { anyOf: different }, example }
}

const errorList: Schema = {
  title: 'ResponseErrorList',
  description: 'The errors of a request.',
  type: 'object',
  properties: {
    errors: {
      type: 'array',
      items: {
        title: 'CdsError',
        description: 'An error of the Consumer Data Standards.',
        type: 'object',
        properties: {
          code: { type: 'string' },
          title: { type: 'string' },
          detail: { type: 'string' },
        },
        required: ['code', 'title', 'detail'],
      },
    },
  },
  required: ['errors'],
}

/** One response for each status, with an example for each error. */
function buildErrors({ id, errors, security }: ApiOperation, context: Context) {
  const byStatus = Map.groupBy(errors, (name) => apiErrors[name][0])
  return [...byStatus].map(([status, names]) => {
    const codes = [...new Set(names.map((name) => apiErrors[name][1]))]
    return [
      String(status),
      {
        description: `The code of the error ends with ${codes.map((code) => `\`${code}\``).join(' or ')}.`,
        headers: referHeaders(listErrorHeaders(status, security), context),
        content: {
          'application/json': {
            schema: context.refer(errorList, id, 1),
            examples: Object.fromEntries(
              [...new Set(names)].map((name) => {
                const [, code, title] = apiErrors[name]
                const error = { code: `urn:au-cds:error:${code}`, title, detail: title }
                return [name, { value: { errors: [error] } }]
              }),
            ),
          },
        },
      },
    ] as const
  })
}

function listErrorHeaders(status: number, security: Security): readonly HeaderName[] {
  return [
    'x-fapi-interaction-id',
    'Cache-Control',
    ...(security === 'none'
      ? (['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'] as const)
      : []),
    ...(status === 401 || status === 403 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
  ]
}

/** In ascending order of the status. */
function mergeResponses(responses: readonly (readonly [string, Json])[]): Json {
  return Object.fromEntries(responses.toSorted(([one], [other]) => Number(one) - Number(other)))
}

function referHeaders(names: readonly HeaderName[], { used }: Context): Json {
  for (const name of names) used.add(name)
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function buildSecuritySchemes(operations: readonly ApiOperation[]): Json {
  const required = operations.flatMap(({ security }) =>
    typeof security === 'object' ? security.scope : [],
  )
  const scopes = [...new Set([openidScope, ...required, ...Object.keys(identityClaims)])]
  return {
    clientAssertion: {
      type: 'openIdConnect',
      openIdConnectUrl: metadataPaths[0],
      description:
        'The third party authenticates with `private_key_jwt`: the fields `client_assertion_type` and `client_assertion` of the form. `iss` and `sub` of the assertion are the id of the third party, `aud` is the issuer, `jti` is used once, `exp` is at most an hour ahead; the algorithm is PS256 or ES256.',
    },
    accessToken: {
      type: 'oauth2',
      description:
        'The access token of a consent, with the scope that the operation requires. It is bound to a key (`Authorization: DPoP`, with a proof) or to a client certificate (`Authorization: Bearer`).',
      flows: {
        authorizationCode: {
          authorizationUrl: openidPaths.authorization,
          tokenUrl: openidPaths.token,
          refreshUrl: openidPaths.token,
          scopes: Object.fromEntries(scopes.map((scope) => [scope, describeScope(scope)])),
        },
      },
    },
    dpopProof: {
      type: 'apiKey',
      in: 'header',
      name: 'DPoP',
      description:
        'A proof of the key that tokens are bound to (RFC 9449), if the platform has no TLS of its own. `htm` and `htu` are the method and the public URL of the request without its query, `ath` is the digest of the access token. Each proof is accepted once.',
    },
    clientCertificate: {
      type: 'mutualTLS',
      description:
        'The client certificate that tokens are bound to (RFC 8705), if the platform has TLS of its own.',
    },
  }
}

/** The name of the data, as customers read it. */
function describeScope(scope: string): string {
  const [described] = describeScopes([scope])
  return described ? `${described.name}: ${described.permissions.join(', ')}.` : 'An ID token.'
}
