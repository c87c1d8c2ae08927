import { locateAccounts, type Operation } from '../contract/index.ts'
import type { CheckContext, RequestInput } from './context.ts'
import { findAccounts } from './customers.ts'
import { skip } from './outcome.ts'

/** An id that no customer and no account has. */
export const unknownId = 'holdfast-check-no-such-id'

/** An address that no customer has: `.invalid` is reserved by RFC 2606. */
export const unknownEmail = 'no-such-customer@check.holdfast.invalid'

export function requireOperation(context: CheckContext, ref: string): Operation {
  return context.operation(ref) ?? skip(`${ref} is left out intentionally`)
}

/** The operations whose path names an account. */
export function findOperationsByPath({ operations }: CheckContext): Operation[] {
  return operations.filter((operation) => locateAccounts(operation) === 'path')
}

/** The parameters and body of a request for a customer and an account, which need not exist. */
export function buildRequest(
  operation: Operation,
  customerId: string,
  accountId: string,
): RequestInput {
  return {
    params: { customerId, accountId, id: accountId },
    ...(locateAccounts(operation) === 'body' && { body: { data: { accountIds: [accountId] } } }),
  }
}

/** Skips the check if the customer has no account that the operation is about. */
export async function requireAccountFor(
  context: CheckContext,
  operation: Operation,
  customerId: string,
): Promise<string> {
  const accountId = await findAccountFor(context, operation, customerId)
  return accountId ?? skip('the customer has no such account')
}

/** An account of the customer that is of a kind that the operation is about. */
export async function findAccountFor(
  context: CheckContext,
  { accountKinds = [] }: Operation,
  customerId: string,
): Promise<string | undefined> {
  const accounts = await findAccounts(context, customerId)
  return accounts.find(({ kind }) => accountKinds.includes(kind))?.id
}
