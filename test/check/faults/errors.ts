import { ContractError } from '../../../src/contract/index.ts'
import { ana, ben } from '../data.ts'
import {
  type Fault,
  isMissing,
  onRecords,
  onStatus,
  onStore,
  onSuccess,
  pageInMemory,
} from './fault.ts'

const empty = { items: [], total: 0 }

export const errorFaults: readonly Fault[] = [
  {
    name: 'an unknown account in a body is reported like one in a path',
    seam: onStatus(422, (_, { reply }) => {
      reply.status(404)
      return { error: 'Account not found' }
    }),
    detectedBy: [
      'errors.accounts.unknown',
      'errors.accounts.mixed',
      'isolation.body',
      'isolation.body.mixed',
    ],
  },
  {
    name: 'an unknown account in a body has status 404 with the right text',
    strict: true,
    seam: onStatus(422, (body, { reply }) => {
      reply.status(404)
      return body
    }),
    detectedBy: ['errors.accounts.unknown'],
  },
  {
    name: 'the error for invalid input is an object',
    seam: onStatus(400, (body) => ({ error: { message: body.error } })),
    detectedBy: ['errors.body'],
    requires: ['errors.query.pages'],
  },
  {
    name: 'the response to an invalid token is plain text',
    seam: onStatus(401, () => 'Unauthorized'),
    detectedBy: ['errors.body'],
  },
  {
    name: 'an invalid token has status 400',
    strict: true,
    seam: onStatus(401, (body, { reply }) => {
      reply.status(400)
      return body
    }),
    detectedBy: ['tokens.status'],
  },
  {
    name: 'an unknown customer has an empty list',
    seam: onStore((store) => ({
      async listAccounts(query) {
        const page = await store.listAccounts(query)
        return isMissing(page) ? empty : page
      },
    })),
    detectedBy: ['errors.customer.unknown'],
  },
  {
    name: 'the error for an unknown customer has another text',
    seam: onStatus(404, (body) => ({
      error: body.error.replace('Customer not found', 'customer not found'),
    })),
    detectedBy: ['errors.customer.unknown'],
  },
  {
    name: 'a quote in a customerId causes an SQL error',
    seam: onStore((store) => ({
      listBalances: (query) => store.listBalances(query),
      listAccounts(query) {
        if (query.customerId.includes("'")) throw new Error('unterminated')
        return store.listAccounts(query)
      },
    })),
    detectedBy: ['errors.customer.odd'],
  },
  {
    name: 'C2 returns an empty list for an unknown customer',
    seam: onStore((store) => ({
      async listShareableAccounts(customerId) {
        const accounts = await store.listShareableAccounts(customerId)
        return isMissing(accounts) ? [] : accounts
      },
    })),
    detectedBy: ['errors.customer.unknown-in-consent'],
  },
  {
    name: 'unknown accounts in a body are ignored',
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
    detectedBy: [
      'errors.accounts.unknown',
      'errors.accounts.mixed',
      'isolation.body',
      'isolation.body.mixed',
    ],
  },
  {
    name: 'only the first account in a body is looked up',
    seam: onStore((store) => ({
      async listEntriesOfAccounts(query) {
        const page = await store.listEntriesOfAccounts(query)
        const first = query.accountIds.slice(0, 1)
        return isMissing(page) ? store.listEntriesOfAccounts({ ...query, accountIds: first }) : page
      },
    })),
    detectedBy: ['errors.accounts.mixed', 'isolation.body.mixed'],
  },
  {
    name: 'an unknown account in a path has an empty list',
    seam: onStore((store) => ({
      async listEntries(query) {
        const page = await store.listEntries(query)
        return isMissing(page) && page.missing === 'account' ? empty : page
      },
    })),
    detectedBy: ['errors.account.unknown', 'isolation.path'],
  },
  {
    name: 'a body that is not JSON causes a server error',
    seam: onStatus(400, (body, { reply }) => {
      if (/JSON/.test(body.error)) reply.status(500)
      return body
    }),
    detectedBy: ['errors.body.malformed'],
  },
  {
    name: 'a body without accounts is accepted',
    seam: {
      app: (app) =>
        app.addHook('preHandler', async (request) => {
          const body = request.body as { data?: { accountIds?: unknown } } | null
          if (body && typeof body === 'object' && !body.data?.accountIds && !('email' in body))
            request.body = { data: { accountIds: [] } }
        }),
    },
    detectedBy: ['errors.body.data'],
  },
  {
    name: 'an empty list of accounts means all accounts',
    seam: onStore((store) => ({
      listBalances: (query) =>
        store.listBalances(
          query.accountIds.length > 0 || query.customerId !== ana
            ? query
            : { ...query, accountIds: ['a-1', 'a-2'] },
        ),
    })),
    detectedBy: ['errors.body.empty-list'],
  },
  {
    name: 'an unknown filter value is ignored',
    seam: {
      app: (app) =>
        app.addHook('preHandler', async (request) => {
          const query = request.query as Record<string, string>
          for (const [name, value] of Object.entries(query))
            if (value === 'NO_SUCH_VALUE') delete query[name]
        }),
    },
    detectedBy: ['errors.query.values'],
  },
  {
    name: 'an invalid page causes a server error',
    seam: onStatus(400, (body, { query, reply }) => {
      if (query.get('page') === 'x') reply.status(500)
      return body
    }),
    detectedBy: ['errors.query.pages'],
  },
  {
    name: 'an invalid date causes a server error',
    seam: onStatus(400, (body, { query, reply }) => {
      if (query.has('newest-time')) reply.status(500)
      return body
    }),
    detectedBy: ['errors.query.times'],
  },
  {
    name: 'a long id causes a server error of the contact endpoint',
    seam: onStatus(400, (body, { ref, reply }) => {
      if (ref === 'contact') reply.status(500)
      return body
    }),
    detectedBy: ['errors.contact.long-ids'],
  },

  {
    name: 'B3 returns an account of another customer',
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
    detectedBy: ['isolation.path'],
  },
  {
    name: 'the contact of an account of another customer is returned',
    seam: onStore((store) => ({
      async readContact(customerId, accountId) {
        const contact = await store.readContact(customerId, accountId)
        if (!isMissing(contact) || contact.missing === 'customer') return contact
        return store.readContact(customerId === ana ? ben : ana, accountId)
      },
    })),
    detectedBy: ['isolation.path'],
  },
  {
    name: 'accounts of another customer in a body are returned',
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
    detectedBy: ['isolation.body'],
  },
  {
    name: 'B1 lists an account of another customer',
    seam: onRecords((account) => {
      if (account.accountId === 'a-3') account.accountId = 'b-1'
    }, 'B1'),
    detectedBy: ['isolation.lists'],
  },
  {
    name: 'B3 returns a record of another account',
    seam: onRecords((record) => {
      if (record.transactionId === 'm-3') record.accountId = 'b-1'
    }, 'B3'),
    detectedBy: ['isolation.records'],
  },
  {
    name: 'E2 returns all accounts instead of the requested ones',
    seam: onStore((store) => ({
      readEnergyAccounts: (query) =>
        store.readEnergyAccounts(
          query.customerId === ana && query.accountIds.length === 1 && query.accountIds[0] === 'e-1'
            ? { ...query, accountIds: ['e-1', 'e-2'] }
            : query,
        ),
    })),
    detectedBy: ['isolation.subset'],
  },

  {
    name: 'C1 finds no customer',
    seam: onSuccess(() => ({ data: [] }), 'C1'),
    detectedBy: ['consent.search.found'],
  },
  {
    name: 'C1 also returns the address',
    seam: onSuccess(
      (body) => ({
        data: body.data.map((match: object) => ({ ...match, email: 'x@example.com' })),
      }),
      'C1',
    ),
    detectedBy: ['consent.search.fields'],
  },
  {
    name: 'C1 accepts a pattern',
    seam: onStore((store) => ({
      findCustomers: (email) =>
        store.findCustomers(email.startsWith('%') ? 'ana.check@example.com' : email),
    })),
    detectedBy: ['consent.search.exact'],
  },
  {
    name: 'C1 compares addresses case-sensitively',
    strict: true,
    seam: onStore((store) => ({
      findCustomers: async (email) =>
        email === email.toLowerCase() ? store.findCustomers(email) : [],
    })),
    detectedBy: ['consent.search.case'],
  },
  {
    name: 'C1 rejects an unknown address',
    strict: true,
    seam: onStore((store) => ({
      async findCustomers(email) {
        const found = await store.findCustomers(email)
        if (email.startsWith('no-such')) throw new ContractError('customer_not_found')
        return found
      },
    })),
    detectedBy: ['consent.search.unknown'],
  },
  {
    name: 'C2 lists an account twice',
    seam: onSuccess((body) => ({ accounts: [...body.accounts, body.accounts[0]] }), 'C2'),
    detectedBy: ['consent.accounts.once'],
  },
  {
    name: 'C2 lists an account that does not exist',
    seam: onSuccess(
      (body) => ({ accounts: [...body.accounts, { ...body.accounts[0], id: 'unknown-account' }] }),
      'C2',
    ),
    detectedBy: ['consent.accounts.usable'],
  },
  {
    name: 'C2 does not list energy accounts',
    seam: onSuccess(
      (body) => ({
        accounts: body.accounts.filter(({ id }: { id: string }) => !id.startsWith('e-')),
      }),
      'C2',
    ),
    detectedBy: ['consent.accounts.energy'],
  },
  {
    name: 'C2 does not list closed bank accounts',
    strict: true,
    seam: onSuccess(
      (body) => ({ accounts: body.accounts.filter(({ id }: { id: string }) => id !== 'a-3') }),
      'C2',
    ),
    detectedBy: ['consent.accounts.complete'],
  },
  {
    name: 'C3 returns another id',
    seam: onSuccess((body) => ({ ...body, id: 'u-1' }), 'C3'),
    detectedBy: ['consent.identity.id'],
  },
  {
    name: 'C4 returns another account',
    seam: onSuccess((body) => ({ ...body, account_id: 'a-9' }), 'C4'),
    detectedBy: ['consent.balance.account'],
  },
  {
    name: 'E5 does not return payments',
    seam: onStore((store) => ({
      async listEntriesOfAccounts(query) {
        const page = await store.listEntriesOfAccounts({ ...query, page: 1, pageSize: 1000 })
        if (query.list !== 'billing' || isMissing(page)) return store.listEntriesOfAccounts(query)
        const records: { transactionUType: string }[] = JSON.parse(`[${page.items.join(',')}]`)
        return pageInMemory(
          records.filter(({ transactionUType }) => transactionUType === 'usage'),
          query,
        )
      },
    })),
    detectedBy: ['consent.billing.same'],
  },
]
