import {
  type PublishedDocumentName,
  publishedDocumentNames,
} from '../../../contract/openapi/document-names.ts'
import { ApiError } from '../../api.ts'
import { Facts } from '../../components/facts.tsx'
import { CopyButton } from '../../components/identifier.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Loaded, Notice } from '../../components/states.tsx'
import { Table } from '../../components/table.tsx'
import { useResource } from '../../resource.ts'
import type { ViewProps } from '../../router.ts'
import {
  type Contents,
  type ListedOperation,
  listOperations,
  loadDocument,
  type OpenApiDocument,
  readScope,
} from './documents.ts'
import { MethodBadge } from './method-badge.tsx'
import { Prose } from './prose.tsx'
import { describeType, SchemaView } from './schema-view.tsx'
import { TryIt } from './try-it.tsx'

interface Found {
  readonly document: OpenApiDocument
  readonly operation: ListedOperation
}

async function find(name: string, operationId: string): Promise<Found> {
  const known = publishedDocumentNames.find((each): each is PublishedDocumentName => each === name)
  if (!known) throw new ApiError(404, 'There is no document with this name.')
  const document = await loadDocument(known)
  const operation = listOperations(known, document).find((each) => each.operationId === operationId)
  if (!operation) throw new ApiError(404, 'The document has no operation with this name.')
  return { document, operation }
}

/** One operation: parameters, bodies, responses, and a form to try it. */
export function View({ params: { document = '', operationId = '' } }: ViewProps) {
  const found = useResource(`${document}\n${operationId}`, () => find(document, operationId))
  return (
    <>
      <PageHeading title={operationId} crumbs={[['API', '/console/api']]} />
      <Loaded resource={found}>{(value) => <Operation key={operationId} {...value} />}</Loaded>
    </>
  )
}

function Operation({ document, operation }: Found) {
  const { requestBody, responses } = operation
  return (
    <>
      <p class="request-line">
        <MethodBadge method={operation.method} /> <code>{operation.path}</code>
      </p>
      {operation.deprecated === true && <Notice kind="warn" title="This operation is deprecated" />}
      <p>
        <Prose text={`${operation.summary}. ${operation.description}`} />
      </p>
      <Facts
        facts={{
          Reference: operation['x-reference'],
          Server: document.info.title,
          Authentication: describeSecurity(operation),
        }}
      />
      <Parameters document={document} operation={operation} />
      {requestBody && (
        <>
          <h2>Request body</h2>
          <Bodies document={document} content={requestBody.content} label="request" />
        </>
      )}
      <h2>Responses</h2>
      {Object.entries(responses).map(([status, { description, headers = {}, content }]) => (
        <details key={status} class="response" open={status.startsWith('2')}>
          <summary>
            {status}{' '}
            <span class="response-description">
              <Prose text={description} />
            </span>
          </summary>
          <p class="muted">Headers: {Object.keys(headers).join(', ') || 'none'}</p>
          {content ? (
            <Bodies document={document} content={content} label={`response ${status}`} />
          ) : (
            <p>No body.</p>
          )}
        </details>
      ))}
      <TryIt document={document} operation={operation} />
    </>
  )
}

function describeSecurity(operation: ListedOperation): string {
  const [scheme] = operation.security.flatMap((each) => Object.keys(each))
  if (scheme === undefined) return 'none'
  if (scheme === 'platformToken') return 'a single-use token that the platform signs for the URL'
  if (scheme === 'clientAssertion') return 'the key of a third party'
  if (scheme === 'accessToken')
    return `the access token of a consent with the scope ${readScope(operation)}`
  return `the token of an API client with the scope ${readScope(operation)}`
}

function Parameters({ document, operation }: Found) {
  if (operation.parameters.length === 0) return null
  return (
    <div class="parameters">
      <h2>Parameters</h2>
      <Table
        isStacked
        caption="Parameters"
        rows={operation.parameters}
        rowKey={({ in: place, name }) => `${place} ${name}`}
        columns={[
          { title: 'Name', isHeading: true, cell: ({ name }) => <code>{name}</code> },
          {
            title: 'In',
            cell: ({ in: place, required }) => (required ? `${place}, required` : place),
          },
          {
            title: 'Type',
            cell: ({ schema }) => (
              <>
                {describeType(document, schema)}
                {schema.default !== undefined && (
                  <span class="muted"> default: {String(schema.default)}</span>
                )}
              </>
            ),
          },
          { title: 'Description', cell: ({ description }) => <Prose text={description} /> },
          {
            title: 'Example',
            cell: ({ example }) => (example === undefined ? '' : <code>{String(example)}</code>),
          },
        ]}
      />
    </div>
  )
}

function Bodies({
  document,
  content,
  label,
}: {
  readonly document: OpenApiDocument
  readonly content: Contents
  readonly label: string
}) {
  return (
    <>
      {Object.entries(content).map(([type, { schema, example, examples = {} }]) => (
        <div key={type}>
          <p>
            <code>{type}</code>
          </p>
          <SchemaView document={document} schema={schema} />
          {example !== undefined && <Example title={`Example of the ${label}`} value={example} />}
          {Object.entries(examples).map(([name, { value }]) => (
            <Example key={name} title={`Example: ${name}`} value={value} />
          ))}
        </div>
      ))}
    </>
  )
}

function Example({ title, value }: { readonly title: string; readonly value: unknown }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <details>
      <summary>{title}</summary>
      <pre>{text}</pre>
      <CopyButton label="Copy" text={text} />
    </details>
  )
}
