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
export const Links = record('Links', {
  description:
    'Query strings to append to the URL of the request. They repeat its filters and its time window.',
  optional: {
    first: fragment('first'),
    last: fragment('last'),
    next: fragment('next'),
    prev: fragment('previous'),
  },
})

const totals = {
  totalRecords: described(Count, 'The number of records on all pages.'),
  totalPages: described(Count, 'The number of pages of the requested size.'),
}

export type Meta = Static<typeof Meta>
export const Meta = record('Meta', {
  description: 'The size of the whole list.',
  required: totals,
  optional: {
    isQueryParamUnsupported: described(
      Flag,
      'True if the data source cannot filter by text, otherwise absent.',
    ),
  },
})

/** The response of every paged list: `data` has one field, the list of records. */
export function paged<Data extends TProperties>(name: string, description: string, data: Data) {
  const page = described(Type.Object(data), 'The records of the page.')
  return record(name, { description, required: { data: page, links: Links, meta: Meta } })
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
