import type { Check } from './definition.ts'
import { accountFilters } from './groups/account-filters.ts'
import { agreement } from './groups/agreement.ts'
import { consent } from './groups/consent.ts'
import { customerSearch } from './groups/customer-search.ts'
import { errors } from './groups/errors.ts'
import { inputs } from './groups/inputs.ts'
import { isolation } from './groups/isolation.ts'
import { linkChecks } from './groups/links.ts'
import { order } from './groups/order.ts'
import { paging } from './groups/paging.ts'
import { refusals } from './groups/refusals.ts'
import { schemas, wireFormat } from './groups/schemas.ts'
import { signatures } from './groups/signatures.ts'
import { singleUse } from './groups/single-use.ts'
import { tokens } from './groups/tokens.ts'
import { transactionFilters } from './groups/transaction-filters.ts'
import { windows } from './groups/windows.ts'

const errorBodies = errors.filter(({ id }) => id === 'errors.body')
const lateReplay = singleUse.filter(({ prepare }) => prepare !== undefined)

/** Every check, in order of execution. Checks of all responses of the run, and the late replay, come last. */
export const suite: readonly Check[] = [
  ...tokens,
  ...singleUse.filter((check) => !lateReplay.includes(check)),
  ...signatures,
  ...customerSearch,
  ...consent,
  ...agreement,
  ...paging,
  ...linkChecks,
  ...order,
  ...accountFilters,
  ...transactionFilters,
  ...windows,
  ...errors.filter((check) => !errorBodies.includes(check)),
  ...inputs,
  ...isolation,
  ...refusals,
  ...schemas,
  ...wireFormat,
  ...errorBodies,
  ...lateReplay,
]
