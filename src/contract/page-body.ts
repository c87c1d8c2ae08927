export interface PageRequest {
  readonly page: number
  readonly pageSize: number
}

/** The query as it was asked, with its time bounds filled in: what every link repeats. */
export type LinkQuery = Readonly<Record<string, string | undefined>>

/** The envelope of a page, around texts that are JSON already. */
export function pageBody(
  field: string,
  items: readonly string[],
  { total }: { readonly total: number },
  request: PageRequest,
  query: LinkQuery,
): string {
  const totalPages = Math.ceil(total / request.pageSize)
  const links = JSON.stringify(linksOf(totalPages, request, query))
  return (
    `{"data":{"${field}":[${items.join(',')}]},"links":${links},` +
    `"meta":{"totalRecords":${total},"totalPages":${totalPages}}}`
  )
}

function linksOf(totalPages: number, { page, pageSize }: PageRequest, query: LinkQuery): object {
  if (totalPages === 0) return {}
  const link = (target: number) => fragment({ page: target, 'page-size': pageSize, ...query })
  return {
    first: link(1),
    last: link(totalPages),
    ...(page < totalPages && { next: link(page + 1) }),
    // A page past the end goes back to the last one that there is.
    ...(page > 1 && { prev: link(Math.min(page - 1, totalPages)) }),
  }
}

function fragment(parts: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
}
