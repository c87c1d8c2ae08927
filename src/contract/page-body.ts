/** JSON text, as a string or as UTF-8 bytes. */
export type JsonText = string | Uint8Array

/** A complete response body. It is a list of chunks if some of them are bytes. */
export type JsonBody = string | readonly JsonText[]

/** A response body that is too large for memory: chunks are produced as the client reads them. */
export type JsonStream = AsyncIterable<JsonText>

export interface PageRequest {
  readonly page: number
  readonly pageSize: number
}

/** The query parameters that every link repeats, with the time bounds filled in. */
export type LinkQuery = Readonly<Record<string, string | undefined>>

/** The metadata of a page, except for what follows from the request. */
export interface PageFacts {
  readonly total: number
  /** The data source cannot filter by text (B3). */
  readonly isQueryParamUnsupported?: boolean
}

/** Builds the body of a page from records that are JSON text already. */
export function buildPageBody(
  field: string,
  records: readonly JsonText[],
  facts: PageFacts,
  request: PageRequest,
  query: LinkQuery,
): JsonBody {
  const { head, tail } = buildPageEnvelope(field, facts, request, query)
  if (records.every((record) => typeof record === 'string')) return head + records.join(',') + tail
  return [head, ...records.flatMap((record, index) => (index > 0 ? [',', record] : [record])), tail]
}

/** The text before and after the records of a page. */
export function buildPageEnvelope(
  field: string,
  { total, isQueryParamUnsupported }: PageFacts,
  request: PageRequest,
  query: LinkQuery,
): { readonly head: string; readonly tail: string } {
  const totalPages = Math.ceil(total / request.pageSize)
  const unsupported = isQueryParamUnsupported ? ',"isQueryParamUnsupported":true' : ''
  const tail =
    `]},"links":${buildLinks(totalPages, request, query)},` +
    `"meta":{"totalRecords":${total},"totalPages":${totalPages}${unsupported}}}`
  return { head: `{"data":{"${field}":[`, tail }
}

/** Returns JSON text. Percent-encoded values need no JSON escapes. */
function buildLinks(totalPages: number, { page, pageSize }: PageRequest, query: LinkQuery): string {
  if (totalPages === 0) return '{}'
  let rest = `&page-size=${pageSize}`
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) rest += `&${name}=${encodeURIComponent(value)}`
  }
  const link = (name: string, target: number) => `"${name}":"page=${target}${rest}"`
  let links = `${link('first', 1)},${link('last', totalPages)}`
  if (page < totalPages) links += `,${link('next', page + 1)}`
  // After the last page, `prev` is the last page.
  if (page > 1) links += `,${link('prev', Math.min(page - 1, totalPages))}`
  return `{${links}}`
}
