import type { CdsEndpointId } from '../../../contract/cds/shared/endpoints.ts'
import { CdsError } from '../../cds/errors.ts'
import { bankingHandlers } from './banking.ts'
import { energyHandlers } from './energy.ts'
import { toSingle } from './pages.ts'
import type { Handler } from './shared-accounts.ts'
import { ask, theCustomer, toInput, writeRecord } from './shared-data.ts'

/** C3 */
const readCustomer: Handler = async (call) => {
  const customer = await ask(call, (client) => client.getCustomer(toInput(call)))
  const record = customer && writeRecord(call, customer)
  if (!record) throw new CdsError('customerUnavailable', theCustomer)
  return toSingle(call, record)
}

/** What third parties get: data of the accounts of the arrangement, and of no other account that the provider returns. */
export const cdsHandlers: Readonly<Record<CdsEndpointId, Handler>> = {
  ...bankingHandlers,
  ...energyHandlers,
  customer: readCustomer,
  customerDetail: readCustomer,
}
