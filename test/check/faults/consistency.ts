import { setImmediate as nextTurn } from 'node:timers/promises'
import { unknownId } from '../../../src/check/requests.ts'
import { ContractError } from '../../../src/contract/index.ts'
import { ana, anaEmail } from '../data.ts'
import { type Body, replayAfterMs, type Seam } from '../provider.ts'
import {
  changeLink,
  type Fault,
  isMissing,
  onPages,
  onRecords,
  onStatus,
  onStore,
  onSuccess,
} from './fault.ts'

function omitAccount(ref: 'B1' | 'E1', omitted: string): Seam {
  return onPages((page) => {
    page.data.accounts = page.data.accounts.filter(({ accountId }: Body) => accountId !== omitted)
  }, ref)
}

const unknownAccount = { missing: 'account' } as const

/** Faults that show only when answers are compared with each other, or when requests overlap. */
export const consistencyFaults: readonly Fault[] = [
  {
    name: 'used tokens are deleted before they expire',
    seam: {
      replay: (replay) => {
        const usedAt = new Map<string, number>()
        return {
          ...replay,
          async recordUse(tokenId) {
            const before = usedAt.get(tokenId)
            usedAt.set(tokenId, performance.now())
            const isKept = before !== undefined && performance.now() - before <= replayAfterMs / 2
            return isKept ? 'used before' : 'first use'
          },
        }
      },
    },
    detectedBy: ['tokens.jti.kept'],
  },
  {
    name: 'only the last twenty used tokens are stored',
    seam: {
      replay: (replay) => {
        const used: string[] = []
        return {
          ...replay,
          async recordUse(tokenId) {
            if (used.includes(tokenId)) return 'used before'
            used.push(tokenId)
            if (used.length > 20) used.shift()
            return 'first use'
          },
        }
      },
    },
    detectedBy: ['tokens.jti.kept'],
    requires: ['tokens.jti.replayed', 'schemas'],
  },
  {
    name: 'token ids are compared case-insensitively',
    seam: {
      replay: (replay) => ({
        ...replay,
        recordUse: (tokenId, keptUntil) => replay.recordUse(tokenId.toLowerCase(), keptUntil),
      }),
    },
    detectedBy: ['tokens.jti.distinct'],
  },
  {
    name: 'token ids are truncated to 64 characters',
    seam: {
      replay: (replay) => ({
        ...replay,
        recordUse: (tokenId, keptUntil) => replay.recordUse(tokenId.slice(0, 64), keptUntil),
      }),
    },
    detectedBy: ['tokens.jti.distinct'],
  },
  {
    name: 'an unknown customer is reported before the token is verified',
    seam: {
      app: (app) =>
        app.addHook('onRequest', async (request) => {
          const { customerId } = (request.params ?? {}) as { customerId?: string }
          if (customerId === unknownId) throw new ContractError('customer_not_found')
        }),
    },
    detectedBy: ['tokens.first'],
  },
  {
    name: 'C2 stores the customer of a request in a shared variable',
    seam: onStore((store) => {
      let current = ''
      return {
        async listShareableAccounts(customerId) {
          current = customerId
          await nextTurn()
          return store.listShareableAccounts(current)
        },
      }
    }),
    detectedBy: ['isolation.concurrent'],
  },
  {
    name: 'concurrent requests of two customers share a response',
    seam: onStore((store) => {
      let inFlight: ReturnType<typeof store.listAccounts> | undefined
      return {
        async listAccounts(query) {
          if (query.kind !== 'banking') return store.listAccounts(query)
          inFlight ??= nextTurn()
            .then(() => store.listAccounts(query))
            .finally(() => {
              inFlight = undefined
            })
          return inFlight
        },
      }
    }),
    detectedBy: ['isolation.concurrent'],
  },
  {
    name: 'a response has a repeated member',
    seam: onSuccess((body) => `{"id":"x",${JSON.stringify(body).slice(1)}`, 'C3'),
    detectedBy: ['wire.repeated-members'],
  },
  {
    name: 'a record of a page has a repeated member',
    seam: onSuccess(
      (body) => JSON.stringify(body).replace('"accountId":', '"accountId":"x","accountId":'),
      'B3',
    ),
    detectedBy: ['wire.repeated-members'],
  },
  {
    name: 'the next link omits only the text filter',
    seam: onPages((page) => {
      if (page.links.next) page.links.next = changeLink(page.links.next, 'text', undefined)
    }, 'B3'),
    detectedBy: ['paging.links.filters'],
  },
  {
    name: 'the last link omits only the minimum amount',
    seam: onPages((page) => {
      if (page.links.last) page.links.last = changeLink(page.links.last, 'min-amount', undefined)
    }, 'B3'),
    detectedBy: ['paging.links.filters'],
  },
  {
    name: 'the next link omits only is-owned',
    seam: onPages((page) => {
      if (page.links.next) page.links.next = changeLink(page.links.next, 'is-owned', undefined)
    }, 'B5'),
    detectedBy: ['paging.links.filters'],
  },
  {
    name: 'an account id gives access to data for an unknown customer',
    seam: onStore((store) => ({
      async listEntries(query) {
        const page = await store.listEntries(query)
        if (!isMissing(page) || page.missing !== 'customer') return page
        return store.listEntries({ ...query, customerId: ana })
      },
    })),
    detectedBy: ['errors.customer.unknown-with-account'],
  },
  {
    name: 'a known account under an unknown customer is reported as an unknown account',
    seam: onStore((store) => ({
      async listBalances(query) {
        const page = await store.listBalances(query)
        const isKnown = query.accountIds.every((id) => /^[ab]-/.test(id))
        return isMissing(page) && isKnown ? { missing: 'account' } : page
      },
    })),
    detectedBy: ['errors.customer.unknown-with-account'],
  },
  {
    name: 'C1 returns customers without an address',
    seam: {
      app: (app) =>
        app.addHook('preValidation', async (request) => {
          const { operation } = request.routeOptions.config
          const body = request.body as { email?: unknown } | undefined
          if (operation?.ref === 'C1' && !body?.email) request.body = { email: anaEmail }
        }),
    },
    detectedBy: ['consent.search.empty'],
  },
  {
    name: 'B6 does not return a payment that B4 returns',
    seam: onPages((page) => {
      page.data.scheduledPayments = page.data.scheduledPayments.filter(
        ({ scheduledPaymentId, from }: Body) =>
          scheduledPaymentId !== 'p2' || from.accountId !== 'a-1',
      )
    }, 'B6'),
    detectedBy: ['agreement.payments'],
  },
  {
    name: 'E1 does not list a closed account that C2 lists',
    seam: omitAccount('E1', 'e-2'),
    detectedBy: ['consent.accounts.listed'],
  },
  {
    name: 'B1 does not list a closed account that C2 lists',
    seam: omitAccount('B1', 'a-3'),
    detectedBy: ['consent.accounts.listed'],
  },
  {
    name: 'an account of two customers has no users',
    seam: onRecords((account) => {
      if (account.accountId === 'a-2') delete account.users
    }, 'B1'),
    detectedBy: ['agreement.users'],
  },
  {
    name: 'an account of two customers has one user',
    seam: onRecords((account) => {
      if (account.accountId === 'a-2') account.users.pop()
    }, 'B1'),
    detectedBy: ['agreement.users'],
  },
  {
    name: 'a body with a content encoding is read as if it had none',
    strict: true,
    seam: {
      app: (app) =>
        app.addHook('onRequest', async (request) => {
          delete request.headers['content-encoding']
        }),
    },
    detectedBy: ['errors.body.compressed'],
  },
  {
    name: 'a content encoding causes a server error',
    seam: onStatus(415, (body, { reply }) => {
      reply.status(500)
      return body
    }),
    detectedBy: ['errors.body.compressed'],
  },
  {
    name: 'the months of the default window are counted in UTC',
    strict: true,
    seam: onPages((page, { query }) => {
      if (!query.get('newest-time')?.startsWith('2024-02-29T05:00:00')) return
      for (const [name, link] of Object.entries<string>(page.links)) {
        page.links[name] = changeLink(link, 'oldest-time', '2023-02-28T18:00:00Z')
      }
    }, 'B3'),
    detectedBy: ['windows.B3.leap-day'],
  },
  {
    name: 'E2 returns another display name than E1',
    seam: onRecords((account) => {
      account.displayName = `${account.displayName} (detail)`
    }, 'E2'),
    detectedBy: ['agreement.energy-accounts'],
  },
  {
    name: 'an account without contact details is reported as an unknown account',
    seam: onStore((store) => ({
      readContact: async (customerId, accountId) =>
        accountId === 'e-1' ? unknownAccount : store.readContact(customerId, accountId),
    })),
    detectedBy: ['consent.accounts.records'],
  },
  {
    name: 'an account without a balance is reported as an unknown account by B2',
    seam: onStore((store) => ({
      listBalances: async (query) =>
        query.accountIds.includes('a-3') ? unknownAccount : store.listBalances(query),
    })),
    detectedBy: ['consent.accounts.records'],
  },
  {
    name: 'an account without a balance is reported as an unknown account by C4',
    seam: onStore((store) => ({
      readBalance: async (customerId, accountId) =>
        accountId === 'a-3' ? unknownAccount : store.readBalance(customerId, accountId),
    })),
    detectedBy: ['consent.accounts.records'],
  },
  {
    name: 'BX1 says that every customer owns the account',
    seam: onSuccess(({ data }) => ({ data: { ...data, isOwned: true } }), 'BX1'),
    detectedBy: ['agreement.accounts'],
  },
  {
    name: 'EX1 returns users',
    seam: onSuccess(({ data }) => ({ data: { ...data, users: [{ id: 'u1' }] } }), 'EX1'),
    detectedBy: ['agreement.accounts'],
  },
  {
    name: 'BX1 does not find accounts that exist',
    seam: {
      refs: ['BX1'],
      answer(body, { ref, reply }) {
        if (ref !== 'BX1') return body
        reply.status(404)
        return { error: 'Account not found' }
      },
    },
    detectedBy: ['agreement.accounts'],
  },
  {
    name: 'C4 swaps the current and the available balance',
    seam: onSuccess(
      ({ available, current, ...rest }) => ({ ...rest, available: current, current: available }),
      'C4',
    ),
    detectedBy: ['agreement.balances'],
  },
  {
    name: 'a body with a repeated member is accepted',
    strict: true,
    seam: onStatus(400, (body, { reply }) => {
      if (!/twice/.test(body.error)) return body
      reply.status(200)
      return { data: { balances: [] }, links: {}, meta: { totalRecords: 0, totalPages: 0 } }
    }),
    detectedBy: ['errors.body.repeated-member'],
  },
]
