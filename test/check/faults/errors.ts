import { ContractError } from '../../../src/contract/index.ts'
import { ana, ben } from '../data.ts'
import {
  type Fault,
  isMissing,
  onRecords,
  onRefusal,
  onStore,
  onSuccess,
  pageByHand,
} from './fault.ts'

const empty = { items: [], total: 0 }

export const errorFaults: readonly Fault[] = [
  {
    name: 'an unknown account in a body is a 404 like one in a path',
    seam: onRefusal(422, (_, { reply }) => {
      reply.status(404)
      return { error: 'Account not found' }
    }),
    catches: [
      'errors.accounts.unknown',
      'errors.accounts.mixed',
      'isolation.body',
      'isolation.body.mixed',
    ],
  },
  {
    name: 'an unknown account in a body is a 404 with the right text',
    strict: true,
    seam: onRefusal(422, (body, { reply }) => {
      reply.status(404)
      return body
    }),
    catches: ['errors.accounts.unknown'],
  },
  {
    name: 'the error of bad input is an object',
    seam: onRefusal(400, (body) => ({ error: { message: body.error } })),
    catches: ['errors.body'],
  },
  {
    name: 'the error of a bad token is a text',
    seam: onRefusal(401, () => 'Unauthorized'),
    catches: ['errors.body'],
  },
  {
    name: 'a bad token is a 403',
    strict: true,
    seam: onRefusal(401, (body, { reply }) => {
      reply.status(403)
      return body
    }),
    catches: ['tokens.status'],
  },
  {
    name: 'an unknown customer has an empty list',
    seam: onStore((store) => ({
      async listAccounts(query) {
        const page = await store.listAccounts(query)
        return isMissing(page) ? empty : page
      },
    })),
    catches: ['errors.customer.unknown'],
  },
  {
    name: 'the text about an unknown customer is another',
    seam: onRefusal(404, (body) => ({
      error: body.error.replace('Customer not found', 'customer not found'),
    })),
    catches: ['errors.customer.unknown'],
  },
  {
    name: 'a quote in a customerId breaks the statement',
    seam: onStore((store) => ({
      listBalances: (query) => store.listBalances(query),
      listAccounts(query) {
        if (query.customerId.includes("'")) throw new Error('unterminated')
        return store.listAccounts(query)
      },
    })),
    catches: ['errors.customer.odd'],
  },
  {
    name: 'C2 knows no unknown customer',
    seam: onStore((store) => ({
      async listShareableAccounts(customerId) {
        const accounts = await store.listShareableAccounts(customerId)
        return isMissing(accounts) ? [] : accounts
      },
    })),
    catches: ['errors.customer.unknown-in-consent'],
  },
  {
    name: 'unknown accounts in a body are left out',
    seam: onStore((store) => ({
      async listBalances(query) {
        const page = await store.listBalances(query)
        if (!isMissing(page) || page.missing === 'customer') return page
        const known: string[] = []
        for (const id of query.accountIds) {
          const one = await store.listBalances({ ...query, accountIds: [id] })
          if (!isMissing(one)) known.push(id)
        }
        return store.listBalances({ ...query, accountIds: known })
      },
    })),
    catches: [
      'errors.accounts.unknown',
      'errors.accounts.mixed',
      'isolation.body',
      'isolation.body.mixed',
    ],
  },
  {
    name: 'of the accounts in a body, the first alone is looked up',
    seam: onStore((store) => ({
      async listEntriesOfAccounts(query) {
        const page = await store.listEntriesOfAccounts(query)
        const first = query.accountIds.slice(0, 1)
        return isMissing(page) ? store.listEntriesOfAccounts({ ...query, accountIds: first }) : page
      },
    })),
    catches: ['errors.accounts.mixed', 'isolation.body.mixed'],
  },
  {
    name: 'an unknown account in a path has an empty list',
    seam: onStore((store) => ({
      async listEntries(query) {
        const page = await store.listEntries(query)
        return isMissing(page) && page.missing === 'account' ? empty : page
      },
    })),
    catches: ['errors.account.unknown', 'isolation.path'],
  },
  {
    name: 'a body that is no JSON breaks the server',
    seam: onRefusal(400, (body, { reply }) => {
      if (/JSON/.test(body.error)) reply.status(500)
      return body
    }),
    catches: ['errors.body.malformed'],
  },
  {
    name: 'a body without accounts means all of them',
    seam: {
      app: (app) =>
        app.addHook('preHandler', async (request) => {
          const body = request.body as { data?: { accountIds?: unknown } } | null
          if (body && typeof body === 'object' && !body.data?.accountIds && !('email' in body))
            request.body = { data: { accountIds: [] } }
        }),
    },
    catches: ['errors.body.data'],
  },
  {
    name: 'an empty list of accounts means all of them',
    seam: onStore((store) => ({
      listBalances: (query) =>
        store.listBalances(
          query.accountIds.length > 0 || query.customerId !== ana
            ? query
            : { ...query, accountIds: ['a-1', 'a-2'] },
        ),
    })),
    catches: ['errors.body.empty-list'],
  },
  {
    name: 'a filter value that does not exist is not looked at',
    seam: {
      app: (app) =>
        app.addHook('preHandler', async (request) => {
          const query = request.query as Record<string, string>
          for (const [name, value] of Object.entries(query))
            if (value === 'NO_SUCH_VALUE') delete query[name]
        }),
    },
    catches: ['errors.query.values'],
  },
  {
    name: 'a page that is none breaks the server',
    seam: onRefusal(400, (body, { query, reply }) => {
      if (query.get('page') === 'x') reply.status(500)
      return body
    }),
    catches: ['errors.query.pages'],
  },
  {
    name: 'a date that is none breaks the server',
    seam: onRefusal(400, (body, { query, reply }) => {
      if (query.has('newest-time')) reply.status(500)
      return body
    }),
    catches: ['errors.query.times'],
  },
  {
    name: 'a long id breaks the contact endpoint',
    seam: onRefusal(400, (body, { ref, reply }) => {
      if (ref === 'contact') reply.status(500)
      return body
    }),
    catches: ['errors.contact.long-ids'],
  },

  {
    name: 'B3 shows an account to whoever knows its id',
    seam: onStore((store) => ({
      async listEntries(query) {
        const page = await store.listEntries(query)
        if (!isMissing(page) || page.missing === 'customer') return page
        const other = await store.listEntries({
          ...query,
          customerId: query.customerId === ana ? ben : ana,
        })
        return isMissing(other) ? page : other
      },
    })),
    catches: ['isolation.path'],
  },
  {
    name: 'the contact of an account is shown to whoever knows its id',
    seam: onStore((store) => ({
      async readContact(customerId, accountId) {
        const contact = await store.readContact(customerId, accountId)
        if (!isMissing(contact) || contact.missing === 'customer') return contact
        return store.readContact(customerId === ana ? ben : ana, accountId)
      },
    })),
    catches: ['isolation.path'],
  },
  {
    name: 'a body shows the accounts of another customer',
    seam: onStore((store) => ({
      async readEnergyAccounts(query) {
        const page = await store.readEnergyAccounts(query)
        if (!isMissing(page) || page.missing === 'customer') return page
        return store.readEnergyAccounts({
          ...query,
          customerId: query.customerId === ana ? ben : ana,
        })
      },
    })),
    catches: ['isolation.body'],
  },
  {
    name: 'B1 shows an account of another customer',
    seam: onRecords((account) => {
      if (account.accountId === 'a-3') account.accountId = 'b-1'
    }, 'B1'),
    catches: ['isolation.lists'],
  },
  {
    name: 'a record of another account is among those of B3',
    seam: onRecords((record) => {
      if (record.transactionId === 'm-3') record.accountId = 'b-1'
    }, 'B3'),
    catches: ['isolation.records'],
  },
  {
    name: 'E2 shows all accounts, whichever are named',
    seam: onStore((store) => ({
      readEnergyAccounts: (query) =>
        store.readEnergyAccounts(
          query.customerId === ana && query.accountIds.length === 1 && query.accountIds[0] === 'e-1'
            ? { ...query, accountIds: ['e-1', 'e-2'] }
            : query,
        ),
    })),
    catches: ['isolation.subset'],
  },

  {
    name: 'C1 finds nobody',
    seam: onSuccess(() => ({ data: [] }), 'C1'),
    catches: ['consent.search.found'],
  },
  {
    name: 'C1 also shows the address',
    seam: onSuccess(
      (body) => ({
        data: body.data.map((match: object) => ({ ...match, email: 'x@example.com' })),
      }),
      'C1',
    ),
    catches: ['consent.search.fields'],
  },
  {
    name: 'C1 takes a pattern',
    seam: onStore((store) => ({
      findCustomers: (email) =>
        store.findCustomers(email.startsWith('%') ? 'ana.check@example.com' : email),
    })),
    catches: ['consent.search.exact'],
  },
  {
    name: 'C1 goes by the case of an address',
    strict: true,
    seam: onStore((store) => ({
      findCustomers: async (email) =>
        email === email.toLowerCase() ? store.findCustomers(email) : [],
    })),
    catches: ['consent.search.case'],
  },
  {
    name: 'C1 refuses an address that nobody has',
    strict: true,
    seam: onStore((store) => ({
      async findCustomers(email) {
        const found = await store.findCustomers(email)
        if (email.startsWith('no-such')) throw new ContractError('customer_not_found')
        return found
      },
    })),
    catches: ['consent.search.unknown'],
  },
  {
    name: 'C2 lists an account twice',
    seam: onSuccess((body) => ({ accounts: [...body.accounts, body.accounts[0]] }), 'C2'),
    catches: ['consent.accounts.once'],
  },
  {
    name: 'C2 lists an account that nobody knows',
    seam: onSuccess(
      (body) => ({ accounts: [...body.accounts, { ...body.accounts[0], id: 'nobody-knows' }] }),
      'C2',
    ),
    catches: ['consent.accounts.usable'],
  },
  {
    name: 'C2 leaves out energy accounts',
    seam: onSuccess(
      (body) => ({
        accounts: body.accounts.filter(({ id }: { id: string }) => !id.startsWith('e-')),
      }),
      'C2',
    ),
    catches: ['consent.accounts.energy'],
  },
  {
    name: 'C2 leaves out closed bank accounts',
    strict: true,
    seam: onSuccess(
      (body) => ({ accounts: body.accounts.filter(({ id }: { id: string }) => id !== 'a-3') }),
      'C2',
    ),
    catches: ['consent.accounts.complete'],
  },
  {
    name: 'C3 shows another id',
    seam: onSuccess((body) => ({ ...body, id: 'u-1' }), 'C3'),
    catches: ['consent.identity.id'],
  },
  {
    name: 'C4 shows another account',
    seam: onSuccess((body) => ({ ...body, account_id: 'a-9' }), 'C4'),
    catches: ['consent.balance.account'],
  },
  {
    name: 'E5 leaves out payments',
    seam: onStore((store) => ({
      async listEntriesOfAccounts(query) {
        const page = await store.listEntriesOfAccounts({ ...query, page: 1, pageSize: 1000 })
        if (query.list !== 'billing' || isMissing(page)) return store.listEntriesOfAccounts(query)
        const records: { transactionUType: string }[] = JSON.parse(`[${page.items.join(',')}]`)
        return pageByHand(
          records.filter(({ transactionUType }) => transactionUType === 'usage'),
          query,
        )
      },
    })),
    catches: ['consent.billing.same'],
  },
]
