import { setImmediate as nextTurn } from 'node:timers/promises'
import { unknownId } from '../../../src/check/groups/errors.ts'
import { ContractError } from '../../../src/contract/index.ts'
import { ana, anaEmail } from '../data.ts'
import { replayAfterMs } from '../provider.ts'
import {
  type Fault,
  isMissing,
  onPages,
  onRecords,
  onRefusal,
  onStore,
  onSuccess,
  relinked,
} from './fault.ts'

/** Faults that show only when answers are compared with each other, or when requests overlap. */
export const consistencyFaults: readonly Fault[] = [
  {
    name: 'used tokens are forgotten after a while',
    seam: {
      claims: (claims) => {
        const usedAt = new Map<string, number>()
        return {
          ...claims,
          async recordUse(tokenId) {
            const before = usedAt.get(tokenId)
            usedAt.set(tokenId, performance.now())
            const isKept = before !== undefined && performance.now() - before <= replayAfterMs / 2
            return isKept ? 'used before' : 'first use'
          },
        }
      },
    },
    catches: ['tokens.jti.kept'],
  },
  {
    name: 'the last twenty used tokens alone are remembered',
    seam: {
      claims: (claims) => {
        const used: string[] = []
        return {
          ...claims,
          async recordUse(tokenId) {
            if (used.includes(tokenId)) return 'used before'
            used.push(tokenId)
            if (used.length > 20) used.shift()
            return 'first use'
          },
        }
      },
    },
    catches: ['tokens.jti.kept'],
  },
  {
    name: 'token ids are compared without case',
    seam: {
      claims: (claims) => ({
        ...claims,
        recordUse: (tokenId, keptUntil) => claims.recordUse(tokenId.toLowerCase(), keptUntil),
      }),
    },
    catches: ['tokens.jti.distinct'],
  },
  {
    name: 'token ids are cut to 64 characters',
    seam: {
      claims: (claims) => ({
        ...claims,
        recordUse: (tokenId, keptUntil) => claims.recordUse(tokenId.slice(0, 64), keptUntil),
      }),
    },
    catches: ['tokens.jti.distinct'],
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
    catches: ['tokens.first'],
  },
  {
    name: 'C2 keeps the customer of the request in a variable that requests share',
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
    catches: ['isolation.concurrent'],
  },
  {
    name: 'the answer of a concurrent request for the same list is shared between customers',
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
    catches: ['isolation.concurrent'],
  },
  {
    name: 'an answer names a member of an object twice',
    seam: onSuccess((body) => `{"id":"x",${JSON.stringify(body).slice(1)}`, 'C3'),
    catches: ['wire.repeated-members'],
  },
  {
    name: 'a record of a page names a member twice',
    seam: onSuccess(
      (body) => JSON.stringify(body).replace('"accountId":', '"accountId":"x","accountId":'),
      'B3',
    ),
    catches: ['wire.repeated-members'],
  },
  {
    name: 'the link next drops the text filter alone',
    seam: onPages((page) => {
      if (page.links.next) page.links.next = relinked(page.links.next, 'text', undefined)
    }, 'B3'),
    catches: ['paging.links.filters'],
  },
  {
    name: 'the link last drops the lower amount alone',
    seam: onPages((page) => {
      if (page.links.last) page.links.last = relinked(page.links.last, 'min-amount', undefined)
    }, 'B3'),
    catches: ['paging.links.filters'],
  },
  {
    name: 'the link next drops is-owned alone',
    seam: onPages((page) => {
      if (page.links.next) page.links.next = relinked(page.links.next, 'is-owned', undefined)
    }, 'B5'),
    catches: ['paging.links.filters'],
  },
  {
    name: 'an account id leads to data whichever customer is named',
    seam: onStore((store) => ({
      async listEntries(query) {
        const page = await store.listEntries(query)
        if (!isMissing(page) || page.missing !== 'customer') return page
        return store.listEntries({ ...query, customerId: ana })
      },
    })),
    catches: ['errors.customer.unknown-with-account'],
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
    catches: ['errors.customer.unknown-with-account'],
  },
  {
    name: 'C1 returns every customer where no address is given',
    seam: {
      app: (app) =>
        app.addHook('preValidation', async (request) => {
          const { operation } = request.routeOptions.config
          const body = request.body as { email?: unknown } | undefined
          if (operation?.ref === 'C1' && !body?.email) request.body = { email: anaEmail }
        }),
    },
    catches: ['consent.search.empty'],
  },
  {
    name: 'B6 leaves out a payment that B4 returns',
    seam: onPages((page) => {
      page.data.scheduledPayments = page.data.scheduledPayments.filter(
        ({ scheduledPaymentId }: { scheduledPaymentId: string }) => scheduledPaymentId !== 'a-1-p2',
      )
    }, 'B6'),
    catches: ['agreement.payments'],
  },
  {
    name: 'E2 returns another display name than E1',
    seam: onRecords((account) => {
      account.displayName = `${account.displayName} (detail)`
    }, 'E2'),
    catches: ['agreement.energy-accounts'],
  },
  {
    name: 'C4 confuses the current and the available balance',
    seam: onSuccess(
      ({ available, current, ...rest }) => ({ ...rest, available: current, current: available }),
      'C4',
    ),
    catches: ['agreement.balances'],
  },
  {
    name: 'a body that names a member twice is accepted',
    strict: true,
    seam: onRefusal(400, (body, { reply }) => {
      if (!/twice/.test(body.error)) return body
      reply.status(200)
      return { data: { balances: [] }, links: {}, meta: { totalRecords: 0, totalPages: 0 } }
    }),
    catches: ['errors.body.repeated-member'],
  },
]
