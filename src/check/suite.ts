import type { Check } from './definition.ts'
import { accountFilters } from './groups/account-filters.ts'
import { consent } from './groups/consent.ts'
import { errors } from './groups/errors.ts'
import { inputs } from './groups/inputs.ts'
import { isolation } from './groups/isolation.ts'
import { linkChecks } from './groups/links.ts'
import { order } from './groups/order.ts'
import { paging } from './groups/paging.ts'
import { schemas, wire } from './groups/schemas.ts'
import { signatures } from './groups/signatures.ts'
import { singleUse } from './groups/single-use.ts'
import { tokens } from './groups/tokens.ts'
import { transactionFilters } from './groups/transaction-filters.ts'
import { windows } from './groups/windows.ts'

const errorBodies = errors.filter(({ id }) => id === 'errors.body')

/** Every check, in the order in which they are run: those that read all answers of the run come last. */
export const suite: readonly Check[] = [
  ...tokens,
  ...singleUse,
  ...signatures,
  ...consent,
  ...paging,
  ...linkChecks,
  ...order,
  ...accountFilters,
  ...transactionFilters,
  ...windows,
  ...errors.filter((check) => !errorBodies.includes(check)),
  ...inputs,
  ...isolation,
  ...schemas,
  ...wire,
  ...errorBodies,
]
