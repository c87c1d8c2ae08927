import {
  documentPaths,
  type PublishedDocumentName,
} from '../../../contract/openapi/document-names.ts'
import { request } from '../../api.ts'

/** The parts of an OpenAPI 3.1 document that the page shows. */
export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly description: string }
  readonly servers: readonly Server[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Server {
  readonly url: string
  readonly variables: Readonly<Record<string, { readonly default: string }>>
}

export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly string[]
  readonly default?: unknown
  readonly deprecated?: boolean
  readonly if?: unknown
  readonly [keyword: string]: unknown
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description: string
  readonly schema: Schema
  readonly example?: unknown
}

interface Content {
  readonly schema: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

export type Contents = Readonly<Record<string, Content>>

interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Contents
}

interface OperationObject {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly deprecated?: boolean
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly description?: string; readonly content: Contents }
  readonly responses: Readonly<Record<string, Response>>
  readonly 'x-reference': string
  /** The interface does not have it. */
  readonly 'x-extension'?: boolean
}

export interface ListedOperation extends OperationObject {
  readonly document: PublishedDocumentName
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
}

/** They do not change while the platform runs. */
const loaded = new Map<PublishedDocumentName, OpenApiDocument>()

export async function loadDocument(name: PublishedDocumentName): Promise<OpenApiDocument> {
  const found = loaded.get(name)
  if (found) return found
  const { body } = await request<OpenApiDocument>('GET', documentPaths[name])
  loaded.set(name, body)
  return body
}

export function listOperations(
  name: PublishedDocumentName,
  { paths }: OpenApiDocument,
): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => ['get', 'post', 'put', 'delete'].includes(method))
      .map(([method, operation]) => ({
        ...(operation as OperationObject),
        document: name,
        method: method.toUpperCase() as ListedOperation['method'],
        path,
      })),
  )
}

/** The schema that a reference names, with the keywords beside the reference. */
export function resolveSchema(
  { components }: OpenApiDocument,
  { $ref, ...beside }: Schema,
): { readonly name: string | undefined; readonly schema: Schema } {
  if ($ref === undefined) return { name: undefined, schema: beside }
  const name = $ref.split('/').at(-1) ?? ''
  const schema = Object.hasOwn(components.schemas, name) ? components.schemas[name] : undefined
  return { name, schema: { ...schema, ...beside } }
}

/** The URL of the first server, with the defaults of its variables. */
export function readServerUrl({ servers }: OpenApiDocument): URL {
  const { url = '', variables = {} } = servers[0] ?? {}
  const text = url.replaceAll(/\{(\w+)\}/g, (_, name: string) => variables[name]?.default ?? '')
  return new URL(text)
}

export function operationUrl({ document, operationId }: ListedOperation): string {
  return `/console/api/${document}/${operationId}`
}

/** The scope that an operation needs; undefined if it needs none. */
export function readScope({ security }: OperationObject): string | undefined {
  return security.flatMap((each) => Object.values(each)).flat()[0]
}
