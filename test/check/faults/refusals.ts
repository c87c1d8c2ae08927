import { refusalHeader } from '../../../src/contract/index.ts'
import { ben, restricted } from '../data.ts'
import type { Body, Outgoing } from '../provider.ts'
import { type Fault, isMissing, onStatus, onStore, onSuccess } from './fault.ts'

const { blockedAccount, protectedAccount } = restricted
const accounts: readonly string[] = [blockedAccount, protectedAccount]

const isMarked = ({ reply }: Outgoing) => reply.hasHeader(refusalHeader)

/** Changes the text of refusals. */
const onRefusals = (pattern: RegExp, text: string) => ({
  answer: (body: Body, sent: Outgoing) =>
    isMarked(sent) ? { error: body.error.replace(pattern, text) } : body,
})

const replaceStatus = (from: number, to: number) =>
  onStatus(from, (body, sent) => {
    if (isMarked(sent)) sent.reply.status(to)
    return body
  })

export const refusalFaults: readonly Fault[] = [
  {
    name: 'a refusal of an account in a path is not marked',
    seam: onStatus(404, (body, { reply }) => {
      reply.removeHeader(refusalHeader)
      return body
    }),
    detectedBy: ['refusals.blocked', 'refusals.customer'],
  },
  {
    name: 'a blocked account in a body is refused with 404',
    seam: replaceStatus(422, 404),
    detectedBy: ['refusals.blocked'],
  },
  {
    name: 'a blocked account is refused with 403',
    seam: replaceStatus(404, 403),
    detectedBy: ['refusals.blocked'],
  },
  {
    name: 'a refusal to prevent harm has the status of a blocked account',
    seam: replaceStatus(403, 404),
    detectedBy: ['refusals.harm', 'refusals.harm.precedence'],
  },
  {
    name: 'the first restricted account in a body determines the status',
    seam: onStore((store) => ({
      async listBalances(query) {
        const page = await store.listBalances(query)
        if (!isMissing(page) || page.refused !== 'harm' || query.accountIds.length === 1)
          return page
        return store.listBalances({ ...query, accountIds: query.accountIds.slice(0, 1) })
      },
    })),
    detectedBy: ['refusals.harm.precedence'],
  },
  {
    name: 'C2 returns an empty list for a restricted customer',
    seam: onStore((store) => ({
      async listShareableAccounts(customerId) {
        const found = await store.listShareableAccounts(customerId)
        return isMissing(found) && found.refused ? [] : found
      },
    })),
    detectedBy: ['refusals.customer'],
  },
  {
    name: 'C3 refuses with another status than other operations',
    seam: onStatus(404, (body, sent) => {
      if (sent.ref === 'C3' && isMarked(sent)) sent.reply.status(403)
      return body
    }),
    detectedBy: ['refusals.customer'],
  },
  {
    name: 'the text of a refusal says that the account is restricted',
    seam: onRefusals(/^(Account.*) not found/, '$1 restricted'),
    detectedBy: ['refusals.body.account'],
  },
  {
    name: 'the text of a refusal says that the customer is restricted',
    seam: onRefusals(/^Customer not found/, 'Customer restricted'),
    detectedBy: ['refusals.body.customer'],
  },
  {
    name: 'a header of a refusal has the reason',
    seam: {
      answer: (body, sent) => {
        if (isMarked(sent)) sent.reply.header('x-refusal-reason', 'blocked')
        return body
      },
    },
    detectedBy: ['refusals.reason'],
  },
  {
    name: 'responses that are not refusals have the header with false',
    seam: {
      answer: (body, sent) => {
        if (!isMarked(sent)) sent.reply.header(refusalHeader, 'false')
        return body
      },
    },
    detectedBy: ['refusals.others'],
  },
  {
    name: 'a restricted account in a body is looked for before unknown ones',
    seam: onStore((store) => ({
      async listBalances(query) {
        const accountIds = query.accountIds.filter((id) => accounts.includes(id))
        return store.listBalances(accountIds.length > 0 ? { ...query, accountIds } : query)
      },
    })),
    detectedBy: ['refusals.order'],
  },
  {
    name: 'a restricted account is refused to every customer',
    seam: onStatus(404, (body, { path, reply }) => {
      if (path.includes(ben) && accounts.some((id) => path.includes(id)))
        reply.header(refusalHeader, 'true')
      return body
    }),
    detectedBy: ['refusals.isolation'],
  },
  {
    name: 'a filter that leaves a restricted account out returns an empty list',
    seam: onStore((store) => ({
      async listBalances(query) {
        const page = await store.listBalances(query)
        const isFiltered = query.filters.openStatus === 'CLOSED'
        return isMissing(page) && page.refused && isFiltered ? { items: [], total: 0 } : page
      },
    })),
    detectedBy: ['refusals.filters'],
  },
  {
    name: 'C2 lists restricted accounts',
    seam: onSuccess(
      (body) => ({ accounts: [...body.accounts, { ...body.accounts[0], id: blockedAccount }] }),
      'C2',
    ),
    detectedBy: ['refusals.lists'],
  },
]
