import type { Static } from 'typebox'
import { described, record } from '../record.ts'
import { restrictionReasons } from '../refusals.ts'
import { exactlyOne } from '../rules.ts'
import { Id, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'

/** A restriction is of an account or of a customer. */
export const restrictionRules = exactlyOne('accountId', 'customerId')

export type Restriction = Static<typeof Restriction>
export const Restriction = record('Restriction', {
  description: 'The provider refuses to share an account, or all data of a customer.',
  required: {
    reason: described(Type.Enum([...restrictionReasons]), 'Recorded, and never sent to clients.'),
  },
  optional: {
    accountId: Id,
    customerId: Id,
    until: described(Timestamp, 'When it ends. Without it, it applies until it is deleted.'),
  },
  rules: restrictionRules,
})
