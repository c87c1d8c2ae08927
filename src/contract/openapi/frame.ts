import type { Json } from './schemas.ts'

interface DocumentParts {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly server: Json
  /** What the operations of each tag are about. */
  readonly tags: readonly (readonly [name: string, description: string])[]
  readonly paths: Json
  readonly schemas: Iterable<readonly [string, Json]>
  readonly headers: Iterable<readonly [string, unknown]>
  readonly securitySchemes: Json
}

/** An OpenAPI 3.1 document. */
export function buildDocument(parts: DocumentParts): Json {
  const { title, version, description, server, tags, paths, schemas, headers } = parts
  return {
    openapi: '3.1.1',
    info: {
      title,
      version,
      description,
      contact: { name: 'The Holdfast project' },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [server],
    tags: tags.map(([name, about]) => ({ name, description: about })),
    paths,
    components: {
      schemas: sortByName(schemas),
      headers: sortByName(headers),
      securitySchemes: parts.securitySchemes,
    },
  }
}

function sortByName(entries: Iterable<readonly [string, unknown]>): Json {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** A server whose host may have a path. Some tools reject a description of a variable. */
export function describeServer(description: string, scheme: string, host: string): Json {
  return {
    url: '{scheme}://{host}',
    description,
    variables: {
      scheme: { enum: ['https', 'http'], default: scheme },
      host: { default: host },
    },
  }
}
