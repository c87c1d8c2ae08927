import Type, { type Static, type TProperties } from 'typebox'
import { pageSizeDefault, pageSizeMax, publicPageSizeMax } from './limits.ts'
import { described, record } from './record.ts'
import { Count, Flag, Text } from './scalars.ts'

export const pageQuery = pageQueryUpTo(pageSizeMax)

export const publicPageQuery = pageQueryUpTo(publicPageSizeMax)

function pageQueryUpTo(maximum: number) {
  return {
    page: described(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 }),
      'The page to show, from 1.',
    ),
    'page-size': described(
      Type.Integer({ minimum: 1, maximum, default: pageSizeDefault }),
      'How many records a page has.',
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
      'Query strings to combine with the request’s own URL. They repeat its filters and pin its time window.',
  },
)

const totals = { totalRecords: Count, totalPages: Count }

export type Meta = Static<typeof Meta>
export const Meta = record('Meta', totals, {
  isQueryParamUnsupported: described(
    Flag,
    'True where the data source cannot filter by text. Absent where it can.',
  ),
})

/** The envelope of every list that is asked for by page. */
export function paged<Data extends TProperties>(name: string, data: Data) {
  return record(name, { data: Type.Object(data), links: Links, meta: Meta })
}
