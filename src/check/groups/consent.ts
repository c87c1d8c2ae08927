import { errorTable } from '../../contract/index.ts'
import { isObject } from '../../contract/schema.ts'
import { findRepeated, formatKeys } from '../compare.ts'
import type { CheckContext } from '../context.ts'
import {
  findAccountIds,
  findAccountKind,
  findAccounts,
  findCustomers,
  forEachCustomer,
  listShareable,
} from '../customers.ts'
import { type Check, endpoint, errorsSection } from '../definition.ts'
import type { HttpResponse } from '../http-client.ts'
import { checkEach, fail, skip, skipAll } from '../outcome.ts'
import { compareRecords, requireList } from '../paged-list.ts'
import { listRecordsMax, readAccounts, readList, readUnbounded, toSubject } from '../read-list.ts'
import { buildRequest, requireOperation } from '../requests.ts'
import { formatStatus, isRejection, readError } from '../responses.ts'
import { readWholeList } from '../subjects.ts'

const shareable = endpoint('C2', 'list accounts available for sharing during consent')

export const consent: readonly Check[] = [
  {
    id: 'consent.accounts.once',
    title: 'C2 lists every account once',
    clause: shareable,
    run: forEachCustomer(async (context, customerId) => {
      const repeated = findRepeated(await requireShareable(context, customerId))
      if (repeated.length === 0) return
      fail(`C2 lists these accounts of customer ${customerId} twice: ${formatKeys(repeated)}`, {
        expected: 'each account once',
      })
    }),
  },
  {
    id: 'consent.accounts.usable',
    title: 'The data endpoints accept the accounts that C2 lists',
    clause: endpoint(
      'C2',
      'the consent-flow account list, which unifies account listing across industries',
    ),
    profile: 'smoke',
    hint: 'The id in C2 must be the accountId of the other endpoints.',
    run: forEachCustomer(async (context, customerId) => {
      if (!context.operation('B2') || !context.operation('E2'))
        skipAll('the provider does not have both B2 and E2')
      const ids = await requireShareable(context, customerId)
      const known = (await findAccounts(context, customerId)).map(({ id }) => id)
      for (const id of ids.filter((each) => !known.includes(each)).slice(0, unlistedMax)) {
        if ((await findAccountKind(context, customerId, id)) !== undefined) continue
        fail(`C2 lists account ${id} of customer ${customerId}, which no other endpoint accepts`, {
          expected: 'ids that B1 or E1 lists, or B2 or E2 accepts',
        })
      }
    }),
  },
  {
    id: 'consent.accounts.records',
    title: 'No account that C2 lists is reported as not found, whether or not it has a record',
    clause: errorsSection(
      '3',
      "Message 'Account in query not found': returned … when an account named in the request cannot be found",
    ),
    hint: 'An account without contact details or a balance exists: its error names the record.',
    run: async (context) => {
      const missing: string[] = []
      const passed = await checkEach(recordRefs, async (ref) => {
        missing.push(...(await findMissingRecords(context, ref)))
      })
      if (missing.length === 0) return passed
      const remark = `These have none: ${missing.join('; ')}. That is valid. Better: each account that C2 lists has contact details, and each bank account a balance.`
      return { ...passed, remark }
    },
  },
  {
    id: 'consent.accounts.energy',
    title: 'C2 lists the accounts that E1 lists',
    clause: endpoint(
      'E1',
      'E1 lists all accounts available for sharing, to support account selection during authorisation; it is deprecated in favour of C2',
    ),
    run: forEachCustomer(async (context, customerId) => {
      const { listed, missing } = await findUnshareable(context, 'E1', customerId)
      if (listed.length === 0) skip('the customer has no energy account')
      if (missing.length === 0) return
      fail(
        `E1 lists accounts of customer ${customerId} that C2 does not list: ${formatKeys(missing)}`,
        { expected: 'the same accounts' },
      )
    }),
  },
  {
    id: 'consent.accounts.listed',
    title: 'B1 and E1 list the accounts that C2 lists',
    clause: endpoint(
      'E1',
      'E1 lists all accounts available for sharing, to support account selection during authorisation',
    ),
    run: (context) =>
      checkEach(
        [
          ['B1', 'banking'],
          ['E1', 'energy'],
        ] as const,
        async ([ref, kind]) => {
          if (!context.operation(ref)) skip('it is left out intentionally')
          const list = requireList(context, ref)
          for (const customerId of await findCustomers(context)) {
            const ids = await requireShareable(context, customerId)
            const whole = await readList(context, toSubject(list, customerId))
            if (!whole.isWhole) skip(`it has more than ${listRecordsMax} records`)
            const unlisted = (await findAccounts(context, customerId)).find(
              ({ id, kind: actual, record }) => actual === kind && !record && ids.includes(id),
            )
            if (!unlisted) continue
            fail(
              `${ref} does not list account ${unlisted.id} of customer ${customerId}, which C2 lists`,
              {
                expected: 'every account that can be shared',
                evidence: whole.responses.slice(0, 1),
              },
            )
          }
        },
      ),
  },
  {
    id: 'consent.accounts.complete',
    title: 'C2 also lists the accounts that B1 lists',
    clause: endpoint('C2', 'C2, which unifies account listing across industries'),
    choice: { ofHoldfast: 'every account is listed', decision: '0024-consent-flow' },
    run: async (context) => {
      const unlisted: string[] = []
      await checkEach(await findCustomers(context), async (customerId) => {
        const { missing } = await findUnshareable(context, 'B1', customerId)
        unlisted.push(...missing)
      })
      return unlisted.length === 0
        ? { seen: 'every account of B1 is listed' }
        : { seen: `not listed: ${formatKeys(unlisted)}`, isHoldfastChoice: false }
    },
  },
  {
    id: 'consent.identity.id',
    title: 'C3 returns the requested customer',
    clause: endpoint('C3', 'identity details for issuing identity tokens'),
    profile: 'smoke',
    run: forEachCustomer((context, customerId) =>
      expectId(context, 'C3', { customerId }, 'id', customerId),
    ),
  },
  {
    id: 'consent.balance.account',
    title: 'C4 returns the requested account',
    clause: endpoint('C4', 'response {account_id, available: number, current: number, currency}'),
    run: forEachCustomer(async (context, customerId) => {
      const [id = skip('the customer has no bank account')] = await findAccountIds(
        context,
        customerId,
        'banking',
      )
      await expectId(context, 'C4', { customerId, id }, 'account_id', id)
    }),
  },
  {
    id: 'consent.billing.same',
    title: 'E5 returns the billing transactions of an account that E4 returns',
    clause: endpoint('E5', 'POST …/accounts/billing: data.transactions; links; meta'),
    run: async (context) => {
      const one = requireList(context, 'E4')
      const many = requireList(context, 'E5')
      const { subject, whole } = await readWholeList(context, one, { wanted: 100 })
      const { customerId } = subject
      const accountId = subject.input.params?.['accountId'] ?? ''
      const other = await readUnbounded(context, toSubject(many, customerId, accountId))
      const difference = compareRecords(one, whole.records, other.records)
      if (difference === undefined) return {}
      return fail(`E5 of account ${accountId} differs from E4: ${difference}`, {
        expected: 'the same billing transactions',
        evidence: other.responses.slice(0, 1),
      })
    },
  },
]

/** Limits the number of requests for accounts that neither B1 nor E1 lists. */
const unlistedMax = 5

/** The operations that return a single record of an account, or a balance for each. */
const recordRefs = ['contact', 'B2', 'C4'] as const

/** Limits the number of requests for each customer and operation. */
const recordAccountsMax = 10

/** The accounts that the operation has no record of, by customer. Fails if it does not know an account that C2 lists. */
async function findMissingRecords(
  context: CheckContext,
  ref: (typeof recordRefs)[number],
): Promise<string[]> {
  const operation = context.operation(ref) ?? skip('it is left out intentionally')
  const missing: string[] = []
  let count = 0
  for (const customerId of await findCustomers(context)) {
    const shareable = await requireShareable(context, customerId)
    const accounts = (await findAccounts(context, customerId)).filter(
      ({ id, kind }) => shareable.includes(id) && operation.accountKinds?.includes(kind),
    )
    const without: string[] = []
    for (const { id } of accounts.slice(0, recordAccountsMax)) {
      const response = await context.request(operation, buildRequest(operation, customerId, id))
      count += 1
      if (isUnknownAccount(response)) {
        fail(`${ref}: account ${id} of customer ${customerId}, which C2 lists, is not found`, {
          expected: 'the record, or an error about the record',
          evidence: [response],
        })
      }
      if (isRejection(response)) without.push(id)
    }
    if (without.length > 0) missing.push(`${ref} of customer ${customerId}: ${formatKeys(without)}`)
  }
  return count === 0 ? skip('no customer has an account for it') : missing
}

function isUnknownAccount(response: HttpResponse): boolean {
  const texts = [errorTable.account_not_found, errorTable.account_in_query_not_found]
  return isRejection(response) && texts.some(({ message }) => message === readError(response))
}

async function requireShareable(context: CheckContext, customerId: string): Promise<string[]> {
  requireOperation(context, 'C2')
  return (await listShareable(context, customerId)) ?? skip('C2 failed')
}

/** The accounts that an operation lists, and those of them that C2 does not list. */
async function findUnshareable(context: CheckContext, ref: 'B1' | 'E1', customerId: string) {
  requireOperation(context, ref)
  const ids = await requireShareable(context, customerId)
  const records = await readAccounts(context, ref, customerId)
  const listed = records.map((record) => String(record['accountId']))
  return { listed, missing: listed.filter((id) => !ids.includes(id)) }
}

/** Fails the check unless the response has the id of what was requested. */
async function expectId(
  context: CheckContext,
  ref: string,
  params: Readonly<Record<string, string>>,
  field: string,
  expected: string,
): Promise<void> {
  const response = await context.request(requireOperation(context, ref), { params })
  if (!response.isSuccess) skip(`${ref} returned ${formatStatus(response)}`)
  const actual = isObject(response.body) ? response.body[field] : undefined
  if (actual === expected) return
  fail(`${ref} returns the ${field} ${JSON.stringify(actual)} for ${expected}`, {
    expected: `the ${field} ${expected}`,
    evidence: [response],
  })
}
