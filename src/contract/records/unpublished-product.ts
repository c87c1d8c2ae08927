import type { Static } from 'typebox'
import { publicationFaultsMax } from '../limits.ts'
import { described, record } from '../record.ts'
import { Count, Id, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'

const PublicationFault = record('PublicationFault', {
  description: 'Why a product cannot be published.',
  required: {
    field: described(Text, 'The path of the field, such as `deposit_rates[0].application_type`.'),
    message: described(Text, 'A sentence that names the field and what publication requires.'),
  },
})

export type UnpublishedProduct = Static<typeof UnpublishedProduct>
export const UnpublishedProduct = record('UnpublishedProduct', {
  description: 'A product that the public endpoints leave out.',
  required: {
    product_id: Id,
    name: described(Text, 'The first 200 characters of the name.'),
    version: described(Count, 'The current version.'),
    changed_at: described(Timestamp, 'When it was written.'),
    faults: described(
      Type.Array(PublicationFault, { maxItems: publicationFaultsMax }),
      `The first ${publicationFaultsMax} faults.`,
    ),
  },
})
