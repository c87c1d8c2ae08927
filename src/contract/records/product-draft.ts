import type { Static } from 'typebox'
import { described, record } from '../record.ts'
import { Count, Flag, Id, NonEmpty, Text, Timestamp } from '../scalars.ts'
import { ProductRead } from './product.ts'

const state = {
  base_version: described(
    Count,
    'The version of the product that the draft was made from. 0: the product is new.',
  ),
  is_outdated: described(
    Flag,
    'True if the product has changed since `base_version`: the draft cannot be published.',
  ),
  changed_at: described(Timestamp, 'When the draft was saved.'),
  changed_by: described(Text, 'The id of its author, as in `ProductChange`.'),
  changed_by_name: described(Text, 'The name of the author at that time.'),
}

const person = {
  changed_by_issuer: described(Text, 'The identity provider of a person. Absent for others.'),
}

export type ProductDraft = Static<typeof ProductDraft>
export const ProductDraft = record('ProductDraft', {
  description: 'A draft of a product.',
  required: {
    product: described(
      ProductRead,
      'The product as it would be published. `last_updated` is the time at which the draft was saved.',
    ),
    ...state,
  },
  optional: person,
})

export type ListedDraft = Static<typeof ListedDraft>
export const ListedDraft = record('ListedDraft', {
  description: 'A draft in a list, without its content.',
  required: { product_id: Id, name: described(NonEmpty, 'The name in the draft.'), ...state },
  optional: person,
})
