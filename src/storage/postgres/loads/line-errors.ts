import type { LineError } from '../../../intake/writer.ts'
import { kindCodes, listCodes } from '../../enum-codes.ts'
import { missingAccount, missingCustomer } from '../../load-errors.ts'
import { parsePlace } from './place.ts'

/** A row of `unresolvedLines`. */
export interface UnresolvedLine {
  readonly place: string
  readonly index: number | null
  readonly kind: number
  readonly list: number | null
  readonly account: string
  /** Null unless a holder does not exist. */
  readonly customer: string | null
}

export function toLineError({
  place,
  index,
  kind,
  list,
  account,
  customer,
}: UnresolvedLine): LineError {
  const location = parsePlace(place)
  if (customer !== null) {
    return {
      ...location,
      ...missingCustomer(`holders[${index}].customerId`, customer),
    }
  }
  const field = list === listCodes.payment ? 'from.accountId' : 'accountId'
  const name = kind === kindCodes.banking ? 'banking' : 'energy'
  return {
    ...location,
    ...missingAccount(field, kind === 0 ? undefined : name, account),
  }
}
