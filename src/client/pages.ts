import { isObject } from '../contract/schema.ts'
import { InvalidResponseError } from './errors.ts'
import type { PreparedCall } from './request.ts'

/** A query string of parameters, and nothing else: a link cannot lead to another path or host. */
const queryString = /^(?:[\w.~%-]+=[^&#\s]*(?:&|$))+$/

/** Longer than any link of the interface: most servers reject longer URLs. */
const linkLengthMax = 8192

/**
 * Reads all pages by following the `next` links. Rejects a link that was followed before, and a list of more than
 * `pagesMax` pages.
 */
export async function* followLinks<Page>(
  { id, query }: PreparedCall,
  pagesMax: number,
  read: (query: string) => Promise<Page>,
  toBody: (page: Page) => unknown,
): AsyncGenerator<Page> {
  const followed = new Set<string>()
  for (let next: string | undefined = query; next !== undefined; ) {
    if (followed.has(next)) {
      throw new InvalidResponseError(id, 'links.next leads to a page that was already read')
    }
    if (followed.size >= pagesMax) {
      throw new InvalidResponseError(id, `more than ${pagesMax} pages (pagesMax)`)
    }
    followed.add(next)
    const page = await read(next)
    yield page
    next = readNextLink(id, toBody(page))
  }
}

function readNextLink(id: string, body: unknown): string | undefined {
  const links = isObject(body) ? body['links'] : undefined
  const next = isObject(links) ? links['next'] : undefined
  if (next === undefined || next === null) return undefined
  // The interface leaves open whether a link starts with a separator.
  const query = typeof next === 'string' ? next.replace(/^[?&]/, '') : ''
  if (query.length <= linkLengthMax && queryString.test(query)) return query
  throw new InvalidResponseError(id, 'links.next is not a query string')
}
