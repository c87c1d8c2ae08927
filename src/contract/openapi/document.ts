import { type Base, type Operation, operationTags, type Protection } from '../operation.ts'
import { issueToken } from '../operations/access.ts'
import { intakeOperations, platformOperations, providerOperations } from '../operations/index.ts'
import { ErrorBody, errorBodies } from '../operations/shared-parameters.ts'
import { responseHeaders } from '../response-headers.ts'
import { asNode } from '../schema.ts'
import { scopeDescriptions } from '../scopes.ts'
import type { DocumentName } from './document-names.ts'
import { buildDocument, describeServer } from './frame.ts'
import { buildOperation } from './operation-object.ts'
import { type Components, type Json, openComponents } from './schemas.ts'

interface DocumentDefinition {
  readonly title: string
  readonly description: string
  readonly operations: Readonly<Record<string, Operation>>
}

const documents = {
  provider: {
    title: 'Data provider API',
    description:
      'The API of a bank or an energy retailer that shares its customers’ data with a platform, with their consent.',
    operations: providerOperations,
  },
  platform: {
    title: 'Platform API',
    description:
      'The API of a platform: its catalogue of banking products, the consents of customers, tokens for API clients, and the public keys that data providers verify tokens with.',
    operations: platformOperations,
  },
  intake: {
    title: 'Intake API',
    description:
      'The API through which the systems of a data provider send changes of its data. It belongs in the internal network.',
    operations: { ...intakeOperations, issueToken: { ...issueToken, base: 'intake' } },
  },
} satisfies Record<DocumentName, DocumentDefinition>

/**
 * Builds the OpenAPI 3.1 document of a server from its operations. `version` is the version of Holdfast. A server with a
 * part of the operations passes those that it serves.
 */
export function buildOpenApiDocument(
  name: DocumentName,
  version: string,
  served?: readonly Operation[],
): Json {
  const { title, description, operations: known }: DocumentDefinition = documents[name]
  const operations = Object.fromEntries(
    Object.entries(known).filter(([, operation]) => served?.includes(operation) ?? true),
  )
  const all = Object.values(operations)
  const components = openComponents(
    [
      ...all.flatMap(({ response, events }) => response ?? events ?? []),
      ErrorBody,
      ...Object.values(errorBodies),
    ].map(asNode),
  )
  const paths = buildPaths(name, operations, components)
  return buildDocument({
    title,
    version,
    description,
    server: servers[name],
    tags: [...new Set(all.map(({ tag }) => tag))].map((tag) => [tag, operationTags[tag]]),
    paths,
    schemas: components.schemas,
    headers: [...components.headers].map((header) => [header, responseHeaders[header]]),
    securitySchemes: Object.fromEntries(
      Object.entries(buildSecuritySchemes(all)).filter(([scheme]) =>
        all.some(({ protection }) => protection === scheme),
      ),
    ),
  })
}

function buildPaths(
  name: DocumentName,
  operations: Readonly<Record<string, Operation>>,
  components: Components,
): Json {
  const paths: Record<string, Json> = {}
  for (const [id, operation] of Object.entries(operations)) {
    const { base, method, path } = operation
    paths[path] = {
      ...(base !== name && { servers: [servers[base]] }),
      ...paths[path],
      [method.toLowerCase()]: buildOperation(id, operation, components),
    }
  }
  return paths
}

const servers = {
  provider: server('127.0.0.1:8080', 'The data provider.'),
  resource: server('127.0.0.1:8080', 'The contact endpoint, which may have a URL of its own.'),
  platform: server('127.0.0.1:8081', 'The platform.'),
  intake: server('127.0.0.1:8082', 'The intake.'),
} satisfies Record<Base, Json>

function server(host: string, description: string): Json {
  const about = `${description} The host includes the port and the base path, if there are any. The default is the local server of \`holdfast demo\`.`
  return describeServer(about, 'http', host)
}

function buildSecuritySchemes(operations: readonly Operation[]) {
  return {
    platformToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'A JWT (RFC 7519) that the platform signs for one resource and one use. `iss` and `sub` are the subdomain of the provider, `aud` is the URI of the resource without its query, `exp` and `jti` are required.',
    },
    clientToken: {
      type: 'oauth2',
      description: 'The token of an API client, with the scope that the operation requires.',
      flows: {
        clientCredentials: {
          tokenUrl: issueToken.path,
          scopes: Object.fromEntries(
            Object.entries(scopeDescriptions).filter(([name]) =>
              operations.some(({ scope }) => scope === name),
            ),
          ),
        },
      },
    },
  } satisfies Record<Exclude<Protection, 'none'>, Json>
}
