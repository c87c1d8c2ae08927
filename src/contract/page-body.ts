/** JSON, as a text or as the bytes of one: whichever its maker has. */
export type JsonText = string | Uint8Array

/** The whole of an answer, in pieces where some of them are bytes. */
export type JsonBody = string | readonly JsonText[]

/** An answer too long to be in memory at once, in pieces that are made as the client takes them. */
export type JsonStream = AsyncIterable<JsonText>

export interface PageRequest {
  readonly page: number
  readonly pageSize: number
}

/** The query as it was asked, with its time bounds filled in: what every link repeats. */
export type LinkQuery = Readonly<Record<string, string | undefined>>

/** The envelope of a page, around pieces that are JSON already. */
export function buildPageBody(
  field: string,
  pieces: readonly JsonText[],
  { total }: { readonly total: number },
  request: PageRequest,
  query: LinkQuery,
): JsonBody {
  const { head, tail } = buildPageEnvelope(field, total, request, query)
  if (pieces.every((piece) => typeof piece === 'string')) return head + pieces.join(',') + tail
  return [head, ...pieces.flatMap((piece, index) => (index > 0 ? [',', piece] : [piece])), tail]
}

/** What stands before and after the records of a page. */
export function buildPageEnvelope(
  field: string,
  total: number,
  request: PageRequest,
  query: LinkQuery,
): { readonly head: string; readonly tail: string } {
  const totalPages = Math.ceil(total / request.pageSize)
  const tail =
    `]},"links":${linksOf(totalPages, request, query)},` +
    `"meta":{"totalRecords":${total},"totalPages":${totalPages}}}`
  return { head: `{"data":{"${field}":[`, tail }
}

/** As JSON text: what is escaped for a query needs no escape there. */
function linksOf(totalPages: number, { page, pageSize }: PageRequest, query: LinkQuery): string {
  if (totalPages === 0) return '{}'
  let rest = `&page-size=${pageSize}`
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) rest += `&${name}=${encodeURIComponent(value)}`
  }
  const link = (name: string, target: number) => `"${name}":"page=${target}${rest}"`
  let links = `${link('first', 1)},${link('last', totalPages)}`
  if (page < totalPages) links += `,${link('next', page + 1)}`
  // A page past the end goes back to the last one that there is.
  if (page > 1) links += `,${link('prev', Math.min(page - 1, totalPages))}`
  return `{${links}}`
}
