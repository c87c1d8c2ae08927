import { locateAccounts, type Operation } from '../contract/index.ts'
import type { CheckContext, RequestInput } from './context.ts'
import { findAccounts, findCustomers } from './customers.ts'
import { skip, skipAll } from './outcome.ts'

/** An id that no customer and no account has. */
export const unknownId = 'holdfast-check-no-such-id'

/** An address that no customer has: `.invalid` is reserved by RFC 2606. */
export const unknownEmail = 'no-such-customer@check.holdfast.invalid'

export function requireOperation(context: CheckContext, ref: string): Operation {
  return context.operation(ref) ?? skipAll(`${ref} is ${describeAbsence(context, ref)}`)
}

/** Why an operation is not tested. */
export function describeAbsence({ unserved }: CheckContext, ref: string): string {
  const reason = unserved.get(ref)
  return reason === undefined ? 'left out intentionally' : `left out: ${reason}`
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

/** Requests of an operation: for every customer, or for every account that it is about. */
export async function findInputs(
  context: CheckContext,
  operation: Operation,
): Promise<RequestInput[]> {
  const [email = unknownEmail] = context.options.emails
  if (operation.ref === 'C1') return [{ body: { email } }]
  const { accountKinds = [] } = operation
  const inputs: RequestInput[] = []
  for (const customerId of await findCustomers(context)) {
    if (locateAccounts(operation) === undefined) inputs.push({ params: { customerId } })
    else {
      const accounts = await findAccounts(context, customerId)
      const known = accounts.filter(({ kind }) => accountKinds.includes(kind))
      inputs.push(...known.map(({ id }) => buildRequest(operation, customerId, id)))
    }
  }
  return inputs
}

/** Skips the check if the customer has no account that the operation is about. */
export async function requireAccountFor(
  context: CheckContext,
  { accountKinds = [] }: Operation,
  customerId: string,
): Promise<string> {
  const accounts = await findAccounts(context, customerId)
  const account = accounts.find(({ kind }) => accountKinds.includes(kind))
  return account?.id ?? skip('the customer has no such account')
}
