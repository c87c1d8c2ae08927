import {
  type PublishedDocumentName,
  publishedDocumentNames,
} from '../../../contract/openapi/document-names.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { formatCount } from '../../labels.ts'
import { useResource } from '../../resource.ts'
import { setQuery, type ViewProps } from '../../router.ts'
import {
  type ListedOperation,
  listOperations,
  loadDocument,
  type OpenApiDocument,
  operationUrl,
} from './documents.ts'
import { MethodBadge } from './method-badge.tsx'
import { Prose } from './prose.tsx'

interface NamedDocument {
  readonly name: PublishedDocumentName
  readonly document: OpenApiDocument
}

/** All operations of all documents, with a search. */
export function View({ query }: ViewProps) {
  const text = query.get('text') ?? ''
  const documents = useResource('documents', () =>
    Promise.all(
      publishedDocumentNames.map(async (name) => ({ name, document: await loadDocument(name) })),
    ),
  )
  return (
    <>
      <PageHeading title="API reference" />
      <p>
        Every operation of the three servers, and what third parties use, as in the OpenAPI
        documents:{' '}
        {publishedDocumentNames.map((name, index) => (
          <span key={name}>
            {index > 0 && ', '}
            <a href={`/openapi/${name}.json`} target="_blank" rel="noreferrer">
              {name}.json
            </a>
          </span>
        ))}
        .
      </p>
      <TextField
        label="Search"
        hint="By name, path, reference or description"
        type="search"
        value={text}
        autocomplete="off"
        onInput={(event) => setQuery({ text: event.currentTarget.value }, { replace: true })}
      />
      <Loaded resource={documents}>{(all) => <Results all={all} text={text} />}</Loaded>
    </>
  )
}

function Results({ all, text }: { readonly all: readonly NamedDocument[]; readonly text: string }) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = all.map(({ name, document }) => ({
    name,
    document,
    operations: listOperations(name, document).filter((operation) => matches(operation, words)),
  }))
  const count = found.reduce((sum, { operations }) => sum + operations.length, 0)
  return (
    <>
      <p class="muted" role="status">
        {formatCount(count, 'operation')}
      </p>
      {count === 0 && (
        <Empty title="No operation matches">
          <Button onClick={() => setQuery({ text: undefined })}>Show all operations</Button>
        </Empty>
      )}
      {found
        .filter(({ operations }) => operations.length > 0)
        .map(({ name, document, operations }) => (
          <section key={name} aria-labelledby={`document-${name}`}>
            <h2 id={`document-${name}`}>{document.info.title}</h2>
            <p>{document.info.description}</p>
            {document.tags.map((tag) => (
              <Tag
                key={tag.name}
                tag={tag}
                operations={operations.filter(({ tags }) => tags.includes(tag.name))}
              />
            ))}
          </section>
        ))}
    </>
  )
}

function Tag({
  tag,
  operations,
}: {
  readonly tag: OpenApiDocument['tags'][number]
  readonly operations: readonly ListedOperation[]
}) {
  if (operations.length === 0) return null
  return (
    <>
      <h3>
        {tag.name} <span class="muted">{tag.description}</span>
      </h3>
      <ul class="operations">
        {operations.map((operation) => (
          <li key={operation.operationId}>
            <MethodBadge method={operation.method} />{' '}
            <a href={operationUrl(operation)}>{operation.operationId}</a>{' '}
            <code class="muted">{operation.path}</code>{' '}
            <span>
              <Prose text={operation.summary} />
              {operation.deprecated === true && <span class="muted"> (deprecated)</span>}
              {operation['x-extension'] === true && <span class="muted"> (extension)</span>}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

function matches(operation: ListedOperation, words: readonly string[]): boolean {
  const { operationId, path, method, summary, description, tags } = operation
  const content = [
    operationId,
    path,
    method,
    summary,
    description,
    operation['x-reference'],
    ...tags,
  ]
    .join(' ')
    .toLowerCase()
  return words.every((word) => content.includes(word))
}
