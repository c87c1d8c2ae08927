import type { AccountKind } from '../../../contract/index.ts'
import type { LineError } from '../../../intake/writer.ts'
import { kindCodes, listCodes } from '../../enum-codes.ts'
import { anotherPerson, noAccount, noCustomer, otherKind } from '../../load-errors.ts'
import { parsePlace } from './place.ts'

/** The errors of lines from the rows of the statements that find them (line-effects.ts). */

export interface RejectedLine {
  readonly place: string
  /** Null for a customer. */
  readonly kind: number | null
}

export interface UnresolvedLine {
  readonly place: string
  readonly account: string
  readonly kind: number
  readonly list: number | null
}

export interface UnresolvedHolder {
  readonly place: string
  readonly index: number
  readonly customer: string
}

export function toRejection({ place, kind }: RejectedLine): LineError {
  return {
    ...parsePlace(place),
    ...(kind === null ? anotherPerson : otherKind(accountKind(kind))),
  }
}

export function toLineError(row: UnresolvedLine): LineError {
  const kind = row.kind === 0 ? undefined : accountKind(row.kind)
  return {
    ...parsePlace(row.place),
    path: row.list === listCodes.payment ? 'from.accountId' : 'accountId',
    reason: noAccount(kind),
    missing: { type: 'account', ...(kind && { kind }), id: row.account },
  }
}

export function toHolderError({ place, index, customer }: UnresolvedHolder): LineError {
  return {
    ...parsePlace(place),
    path: `holders[${index}].customerId`,
    reason: noCustomer,
    missing: { type: 'customer', id: customer },
  }
}

function accountKind(code: number): AccountKind {
  return code === kindCodes.banking ? 'banking' : 'energy'
}
