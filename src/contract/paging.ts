import type { Static, TProperties, TSchema } from 'typebox'
import { pageSizeDefault, pageSizeMax, publicPageSizeMax } from './limits.ts'
import { described, record } from './record.ts'
import { Count, Flag, Text } from './scalars.ts'
import { asNode, type Node } from './schema.ts'
import { Type } from './type.ts'

export const pageQuery = pageQueryUpTo(pageSizeMax)

export const publicPageQuery = pageQueryUpTo(publicPageSizeMax)

function pageQueryUpTo(maximum: number) {
  return {
    page: described(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 }),
      'The page number, from 1.',
    ),
    'page-size': described(
      Type.Integer({ minimum: 1, maximum, default: pageSizeDefault }),
      'The number of records per page.',
    ),
  }
}

const fragment = (which: string) =>
  described(Text, `The query string of the ${which} page, without a leading question mark.`)

export type Links = Static<typeof Links>
export const Links = record(
  'Links',
  {},
  {
    first: fragment('first'),
    last: fragment('last'),
    next: fragment('next'),
    prev: fragment('previous'),
  },
  {
    description:
      'Query strings to append to the URL of the request. They repeat its filters and its time window.',
  },
)

const totals = {
  totalRecords: described(Count, 'The number of records on all pages.'),
  totalPages: described(Count, 'The number of pages of the requested size.'),
}

export type Meta = Static<typeof Meta>
export const Meta = record(
  'Meta',
  totals,
  {
    isQueryParamUnsupported: described(
      Flag,
      'True if the data source cannot filter by text, otherwise absent.',
    ),
  },
  { description: 'The size of the whole list.' },
)

/** The response of every paged list: `data` has one field, the list of records. */
export function paged<Data extends TProperties>(name: string, data: Data, description: string) {
  const page = described(Type.Object(data), 'The records of the page.')
  return record(name, { data: page, links: Links, meta: Meta }, {}, { description })
}

/** The field of `data` with the records of a paged list, and their schema; undefined for any other response. */
export function findPageRecords(
  response: TSchema | undefined,
): { readonly field: string; readonly items: Node } | undefined {
  const { data, links } = response ? (asNode(response).properties ?? {}) : {}
  if (links?.name !== 'Links') return undefined
  const [first, ...others] = Object.entries(data?.properties ?? {})
  const [field, { items }] = first ?? ['', {}]
  if (!items || others.length > 0) throw new TypeError('a page must have exactly one list in data')
  return { field, items }
}
