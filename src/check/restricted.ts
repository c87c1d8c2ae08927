import {
  type AccountKind,
  errorTable,
  locateAccounts,
  type Operation,
  refusalHeader,
} from '../contract/index.ts'
import type { CheckContext, RestrictedOptions } from './context.ts'
import { findCustomers } from './customers.ts'
import type { HttpResponse } from './http-client.ts'
import { checkEach, fail, type Passed, skipAll } from './outcome.ts'
import { buildRequest } from './requests.ts'
import { formatStatus } from './responses.ts'

/** What the operator names: the tester cannot restrict anything itself. */
const flags: Readonly<Record<keyof RestrictedOptions, string>> = {
  blockedAccount: '--blocked-account',
  protectedAccount: '--protected-account',
  restrictedCustomer: '--restricted-customer',
}

/** The status of a refusal that prevents harm. */
export const forbidden = errorTable.account_protected.status

const accountOptions = ['blockedAccount', 'protectedAccount'] as const
export type AccountOption = (typeof accountOptions)[number]
const accountFlags = accountOptions.map((option) => flags[option]).join(' nor ')

/** A restricted account, and the test customer that holds it. */
export interface Restricted {
  readonly accountId: string
  readonly kind: AccountKind
  readonly customerId: string
}

/** Skips the check if the operator does not name one. */
export function requireNamed({ options }: CheckContext, option: keyof RestrictedOptions): string {
  return options[option] ?? skipAll(`${flags[option]} is not given`)
}

/** The provider does not list the account, so that each customer and kind is tried. */
export async function findRestricted(
  context: CheckContext,
  option: AccountOption,
): Promise<Restricted> {
  const accountId = requireNamed(context, option)
  return context.once(`restricted ${accountId}`, async () => {
    const operations = ['B2', 'E2', 'B3', 'E3'].flatMap((ref) => context.operation(ref) ?? [])
    const candidates = (await findCustomers(context)).flatMap((customerId) =>
      operations.map((operation) => ({ customerId, operation })),
    )
    for (const { customerId, operation } of candidates) {
      const [kind = 'banking'] = operation.accountKinds ?? []
      const response = await context.request(
        operation,
        buildRequest(operation, customerId, accountId),
      )
      if (isMarked(response) || response.isSuccess || response.status === forbidden)
        return { accountId, kind, customerId }
    }
    return fail(`no customer of the check is refused account ${accountId}`, {
      expected: `an account of one of the customers that the provider refuses to share, with ${refusalHeader}: true`,
    })
  })
}

/** The restricted accounts that the operator names. Skips the check if there are none. */
export function listNamedAccounts(context: CheckContext): readonly string[] {
  return listNamed(context).map((option) => requireNamed(context, option))
}

/** Runs a check on each restricted account that the operator names. */
export function forEachRestricted(
  context: CheckContext,
  check: (restricted: Restricted) => Promise<unknown>,
): Promise<Passed> {
  return checkEach(listNamed(context), async (option) =>
    check(await findRestricted(context, option)),
  )
}

function listNamed({ options }: CheckContext): readonly AccountOption[] {
  const named = accountOptions.filter((option) => options[option] !== undefined)
  return named.length > 0 ? named : skipAll(`neither ${accountFlags} is given`)
}

/** The operations whose request names such an account in its path, in its body, or in one of them. */
export function findOperationsFor(
  { operations }: CheckContext,
  { kind }: Restricted,
  places: readonly ('path' | 'body')[] = ['path', 'body'],
): Operation[] {
  return operations.filter((operation) => {
    const place = locateAccounts(operation)
    return place && places.includes(place) && operation.accountKinds?.includes(kind)
  })
}

export function isMarked({ headers }: HttpResponse): boolean {
  return headers[refusalHeader] !== undefined
}

export function expectRefusal(
  ref: string,
  subject: string,
  response: HttpResponse,
  statuses: readonly number[],
): void {
  const { status, headers } = response
  const value = headers[refusalHeader]
  if (statuses.includes(status) && value === 'true') return
  const header = value === undefined ? `without ${refusalHeader}` : `${refusalHeader}: ${value}`
  fail(`${ref}: ${subject} returned ${formatStatus(response)}, ${header}`, {
    expected: `status ${statuses.join(' or ')} and ${refusalHeader}: true`,
    evidence: [response],
  })
}

/** An id that is unknown, or that the customer must not know about, is not a refusal. */
export function expectUnmarked(ref: string, subject: string, response: HttpResponse): void {
  if (!isMarked(response)) return
  fail(`${ref}: ${subject} returned ${formatStatus(response)} with ${refusalHeader}`, {
    expected: `no ${refusalHeader}`,
    evidence: [response],
  })
}
