import type { Static } from 'typebox'
import { oneOf, values } from '../enumerations.ts'
import { publicationFaultsMax } from '../limits.ts'
import { described, record } from '../record.ts'
import { Count, Flag, Id, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'

export type ProductState = (typeof productStates)[number]
export const productStates = ['PUBLISHED', 'SCHEDULED', 'RETIRED', 'DRAFT'] as const

export type ProductSummary = Static<typeof ProductSummary>
export const ProductSummary = record('ProductSummary', {
  description: 'A product or a draft of a new product in a list, without its content.',
  required: {
    product_id: Id,
    name: described(Text, 'The first 200 characters of the name.'),
    product_category: oneOf(values.productCategory),
    brand: described(Text, 'The first 200 characters of the brand.'),
    state: described(
      Type.Enum(productStates),
      'PUBLISHED: open for applications now. SCHEDULED: it will be. RETIRED: it was. DRAFT: the product does not exist; its draft can be published.',
    ),
    has_draft: Flag,
    updated_at: described(Timestamp, 'When the current version was created, or the draft saved.'),
    updated_by: described(Text, 'The id of its author, as in `ProductChange`.'),
    updated_by_name: described(Text, 'The name of the author at that time.'),
  },
  optional: {
    updated_by_issuer: described(Text, 'The identity provider of a person. Absent for others.'),
    version: described(Count, 'The current version. Absent if the state is DRAFT.'),
    gaps: described(
      Count,
      `How many faults keep the product out of the public catalogue, at most ${publicationFaultsMax}. Absent if the state is DRAFT.`,
    ),
    effective_from: Timestamp,
    effective_to: Timestamp,
  },
})
