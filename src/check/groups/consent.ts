import { isObject } from '../../contract/schema.ts'
import { describeDifference, findRepeated, formatKeys } from '../compare.ts'
import {
  findAccountIds,
  findAccountKind,
  findAccounts,
  findCustomers,
  listShareable,
} from '../customers.ts'
import { type Check, endpoint } from '../definition.ts'
import { checkEach, fail, skip } from '../outcome.ts'
import { buildUnboundedQuery, readKey, requireList } from '../paged-list.ts'
import { readAccounts, readList } from '../read-list.ts'
import { requireOperation } from '../requests.ts'
import { formatStatus } from '../responses.ts'
import { readWholeList } from '../subjects.ts'

const shareable = endpoint('C2', 'list accounts available for sharing during consent')

export const consent: readonly Check[] = [
  {
    id: 'consent.accounts.once',
    title: 'C2 lists every account once',
    clause: shareable,
    run: async (context) => {
      requireOperation(context, 'C2')
      return checkEach(await findCustomers(context), async (customerId) => {
        const ids = (await listShareable(context, customerId)) ?? skip('C2 failed')
        const repeated = findRepeated(ids)
        if (repeated.length > 0)
          fail(`C2 lists these accounts of customer ${customerId} twice: ${formatKeys(repeated)}`, {
            expected: 'each account once',
          })
      })
    },
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
    run: async (context) => {
      requireOperation(context, 'C2')
      if (!context.operation('B2') || !context.operation('E2'))
        skip('the provider does not have both B2 and E2')
      return checkEach(await findCustomers(context), async (customerId) => {
        const ids = (await listShareable(context, customerId)) ?? skip('C2 failed')
        const known = (await findAccounts(context, customerId)).map(({ id }) => id)
        for (const id of ids.filter((each) => !known.includes(each)).slice(0, unlistedMax)) {
          if ((await findAccountKind(context, customerId, id)) !== undefined) continue
          fail(
            `C2 lists account ${id} of customer ${customerId}, which no other endpoint accepts`,
            { expected: 'ids that B1 or E1 lists, or B2 or E2 accepts' },
          )
        }
      })
    },
  },
  {
    id: 'consent.accounts.energy',
    title: 'C2 lists the accounts that E1 lists',
    clause: endpoint(
      'E1',
      'E1 lists all accounts available for sharing, to support account selection during authorisation; it is deprecated in favour of C2',
    ),
    run: async (context) => {
      requireOperation(context, 'C2')
      requireOperation(context, 'E1')
      return checkEach(await findCustomers(context), async (customerId) => {
        const ids = (await listShareable(context, customerId)) ?? skip('C2 failed')
        const listed = (await readAccounts(context, 'E1', customerId)).map((record) =>
          String(record['accountId']),
        )
        if (listed.length === 0) skip('the customer has no energy account')
        const missing = listed.filter((id) => !ids.includes(id))
        if (missing.length > 0)
          fail(
            `E1 lists accounts of customer ${customerId} that C2 does not list: ${formatKeys(missing)}`,
            { expected: 'the same accounts' },
          )
      })
    },
  },
  {
    id: 'consent.accounts.complete',
    title: 'C2 also lists the accounts that B1 lists',
    clause: endpoint('C2', 'C2, which unifies account listing across industries'),
    run: async (context) => {
      requireOperation(context, 'C2')
      requireOperation(context, 'B1')
      const missing: string[] = []
      const passed = await checkEach(await findCustomers(context), async (customerId) => {
        const ids = (await listShareable(context, customerId)) ?? skip('C2 failed')
        for (const record of await readAccounts(context, 'B1', customerId)) {
          if (!ids.includes(String(record['accountId']))) missing.push(String(record['accountId']))
        }
      })
      return {
        ...passed,
        choice: {
          seen:
            missing.length === 0
              ? 'every account of B1 is listed'
              : `not listed: ${formatKeys(missing)}`,
          isOurs: missing.length === 0,
          ours: 'every account is listed',
          decision: '0024-consent-flow',
        },
      }
    },
  },
  {
    id: 'consent.identity.id',
    title: 'C3 returns the requested customer',
    clause: endpoint('C3', 'identity details for issuing identity tokens'),
    profile: 'smoke',
    run: async (context) => {
      const operation = requireOperation(context, 'C3')
      return checkEach(await findCustomers(context), async (customerId) => {
        const response = await context.request(operation, { params: { customerId } })
        if (!response.isSuccess) skip(`C3 returned ${formatStatus(response)}`)
        const id = isObject(response.body) ? response.body['id'] : undefined
        if (id !== customerId)
          fail(`C3 returns the id ${JSON.stringify(id)} for customer ${customerId}`, {
            expected: `the id ${customerId}`,
            evidence: [response],
          })
      })
    },
  },
  {
    id: 'consent.balance.account',
    title: 'C4 returns the requested account',
    clause: endpoint('C4', 'response {account_id, available: number, current: number, currency}'),
    run: async (context) => {
      const operation = requireOperation(context, 'C4')
      return checkEach(await findCustomers(context), async (customerId) => {
        const [id] = await findAccountIds(context, customerId, 'banking')
        if (id === undefined) return skip('the customer has no bank account')
        const response = await context.request(operation, { params: { customerId, id } })
        if (!response.isSuccess) skip(`C4 returned ${formatStatus(response)}`)
        const actualId = isObject(response.body) ? response.body['account_id'] : undefined
        if (actualId !== id)
          fail(`C4 returns the account ${JSON.stringify(actualId)} for account ${id}`, {
            expected: `account_id ${id}`,
            evidence: [response],
          })
      })
    },
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
      const input = { params: { customerId }, body: { data: { accountIds: [accountId] } } }
      const other = await readList(
        context,
        { list: many, customerId, input, label: `E5 ${customerId} ${accountId}` },
        buildUnboundedQuery(context, many),
      )
      const difference = describeDifference(
        whole.records.map((record) => readKey(one, record)),
        other.records.map((record) => readKey(many, record)),
      )
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
