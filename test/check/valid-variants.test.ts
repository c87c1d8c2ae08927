import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { CheckOptions } from '../../src/check/index.ts'
import { refusalHeader } from '../../src/contract/index.ts'
import type { ProviderStore } from '../../src/provider/store.ts'
import { describeOn, shareOnEachEngine } from '../support/engines.ts'
import { onPages, onRecords, onStore, onSuccess, recordsIn } from './faults/fault.ts'
import {
  type Body,
  onlyChecks,
  openBank,
  openMemoryReplayStore,
  type Seam,
  withoutTokens,
} from './provider.ts'

interface Variant {
  readonly seam: Seam
  readonly options?: Partial<CheckOptions>
  /** What the report must say about it. */
  readonly seen: Readonly<Record<string, RegExp>>
}

/** Differs from Holdfast in statuses, links and additional fields, which the interface leaves open. */
const otherChoices: Seam = {
  answer: (body, sent) => {
    const { status, reply } = sent
    const others: Record<number, number> = { 400: 422, 401: 403, 404: 400, 422: 404 }
    // Rules fix the statuses of refusals.
    if (!reply.hasHeader(refusalHeader)) reply.status(others[status] ?? status)
    if (status !== 200 || body === undefined) return body
    if (body.links) {
      if (recordsIn(body).length === 0 && body.meta.totalRecords > 0) {
        reply.status(404)
        return { error: 'Page not found' }
      }
      for (const name of ['first', 'last', 'next', 'prev']) {
        body.links[name] = body.links[name] === undefined ? null : `?${body.links[name]}`
      }
    }
    for (const record of recordsIn(body))
      Object.assign(record, {
        ownField: true,
        constructor: 1,
        toString: 'x',
        nickname: record['nickname'] ?? null,
      })
    return body
  },
}

/** The account a-1 has neither. */
function withoutRecords(store: ProviderStore): Partial<ProviderStore> {
  return {
    async readContact(customerId, accountId) {
      const found = await store.readContact(customerId, accountId)
      return accountId === 'a-1' && 'record' in found ? { missing: 'contact' } : found
    },
    async readBalance(customerId, accountId) {
      const found = await store.readBalance(customerId, accountId)
      return accountId === 'a-1' && typeof found === 'string' ? { missing: 'balance' } : found
    },
    async listBalances(query) {
      const found = await store.listBalances(query)
      const isSelected = 'items' in found && found.items.join('').includes('"accountId":"a-1"')
      return isSelected ? { missing: 'balance' } : found
    },
  }
}

const renamed = {
  'oldest-time': 'from',
  'min-amount': 'least',
  'max-amount': 'most',
  text: 'search',
}

/** To save time, a variant of one operation runs with the checks of its records or of its lists. */
const ofRecords = onlyChecks(
  'agreement',
  'consent',
  'filters',
  'isolation.records',
  'schemas',
  'wire',
)
const ofLists = onlyChecks('filters', 'order', 'paging', 'schemas', 'windows', 'wire')

const variants: Readonly<Record<string, Variant>> = {
  'other statuses, links with a question mark, additional fields': {
    seam: otherChoices,
    options: { capabilities: ['no-energy'] },
    seen: {
      'tokens.status': /^403/,
      'errors.accounts.unknown': /status 404/,
      'paging.links.fragment': /leading \?/,
      'paging.page.beyond': /404/,
    },
  },
  'unknown enumeration values, and numbers for decimals as in the sample of the interface': {
    seam: onRecords(
      (record: Body) => {
        for (const feature of record.features) feature.featureType = 'TELEPATHY'
        for (const { tiers = [] } of record.depositRates)
          for (const tier of tiers) tier.minimumValue = Number(tier.minimumValue)
      },
      'B1',
      'BX1',
    ),
    options: { ...ofRecords, capabilities: ['no-energy'] },
    seen: { 'schemas.B1': /featureType must be/ },
  },
  'unknown states of transactions, payments and invoices': {
    seam: onRecords(
      (record: Body) => {
        for (const field of ['status', 'paymentStatus']) if (field in record) record[field] = 'HELD'
      },
      'B3',
      'B4',
      'B6',
      'E3',
    ),
    options: onlyChecks('schemas.B3', 'schemas.B4', 'schemas.B6', 'schemas.E3', 'wire'),
    seen: {
      'schemas.B3': /status must be/,
      'schemas.B4': /status must be/,
      'schemas.B6': /status must be/,
      'schemas.E3': /paymentStatus must be/,
    },
  },
  'unknown values of energy fields': {
    seam: onRecords(
      (record: Body) => {
        for (const { planDetail } of record.plans) {
          planDetail.fuelType = 'HYDROGEN'
          planDetail.electricityContract.pricingModel = 'AUCTION'
        }
      },
      'E1',
      'E2',
    ),
    options: onlyChecks('schemas.E1', 'schemas.E2', 'wire'),
    seen: { 'schemas.E1': /fuelType must be/, 'schemas.E2': /pricingModel must be/ },
  },
  'unknown relationships and types of telephones': {
    seam: onSuccess((contact: Body) => {
      for (const holder of contact.holders) holder.relationship = 'COUSIN'
      for (const telephone of contact.telephones) telephone.type = 'PAGER'
      return contact
    }, 'contact'),
    options: onlyChecks('schemas.contact', 'wire'),
    seen: { 'schemas.contact': /relationship must be/ },
  },
  'an empty contact with the status RESTRICTED': {
    seam: onSuccess(() => '', 'contact'),
    options: onlyChecks('schemas.contact', 'wire'),
    seen: { 'schemas.contact': /responses were checked/ },
  },
  'feeMethodUType in discounts, as the Versioning section of the interface says': {
    seam: onRecords(
      (record: Body) => {
        for (const { discounts = [] } of record.fees) {
          for (const discount of discounts) {
            discount.feeMethodUType = discount.discountMethodUType
            delete discount.discountMethodUType
          }
        }
      },
      'B1',
      'BX1',
    ),
    options: onlyChecks('schemas', 'wire'),
    seen: { 'schemas.B1': /feeMethodUType is not a field of the interface/ },
  },
  'posted transactions without a posting time': {
    seam: onRecords((record: Body) => {
      record.executionDateTime = record.postingDateTime ?? record.executionDateTime
      delete record.postingDateTime
    }, 'B3'),
    options: onlyChecks('schemas.B3', 'order', 'windows'),
    seen: { 'schemas.B3': /responses were checked/ },
  },
  'customers without an e-mail address': {
    seam: {
      answer: (body, { ref }) => {
        if (ref === 'C3') delete body?.email
        return body
      },
    },
    options: { ...onlyChecks('consent', 'schemas.C3'), emails: [] },
    seen: { 'schemas.C3': /responses were checked/ },
  },
  'accounts without a balance or contact details': {
    seam: onStore(withoutRecords),
    seen: {
      'consent.accounts.records': /checked contact, B2, C4/,
      'schemas.B2': /responses were checked/,
      'agreement.balances': /checked c-ben/,
    },
  },
  'no text filter, and responses that declare it': {
    seam: {
      ...onPages((page) => {
        page.meta.isQueryParamUnsupported = true
      }, 'B3'),
      app: (app) =>
        app.addHook('preHandler', async (request) => {
          delete (request.query as Record<string, string>)['text']
        }),
    },
    options: {
      ...onlyChecks('filters', 'paging.links.filters', 'schemas'),
      capabilities: ['no-energy'],
    },
    seen: { 'filters.text.unsupported': /not implemented/ },
  },
  'version 3 of the account': {
    seam: { accountVersion: 3 },
    options: { ...ofRecords, capabilities: ['account-version-3', 'no-energy'] },
    seen: { 'schemas.B1': /responses were checked/ },
  },
  'a bank without the deprecated lists and other optional operations': {
    seam: {
      app: (app) =>
        app.addHook('onRequest', async (request, reply) => {
          const { operation } = request.routeOptions.config
          const isLeftOut =
            operation?.tag === 'energy' ||
            ['contact', 'B1', 'B6', 'C4'].includes(operation?.ref ?? '')
          if (isLeftOut) return reply.status(404).send({ error: 'Resource not found' })
        }),
    },
    options: { capabilities: ['no-energy', 'no-contact', 'no-B1', 'no-B6', 'no-C4'] },
    seen: { 'order.transactions': /transactions/ },
  },
  'other names for the parameters that the interface does not name': {
    seam: {
      app: (app) =>
        app.addHook('preHandler', async (request) => {
          const query = request.query as Record<string, string>
          if (!request.url.includes('/transactions')) return
          for (const [ours, theirs] of Object.entries(renamed)) {
            delete query[ours]
            if (query[theirs] !== undefined) query[ours] = query[theirs]
          }
        }),
      answer: (body, { ref }) => {
        if (ref !== 'B3' || !body?.links) return body
        for (const [name, link] of Object.entries<string>(body.links)) {
          const query = [...new URLSearchParams(link)].map(([key, value]) => [
            renamed[key as 'text'] ?? key,
            value,
          ])
          body.links[name] = new URLSearchParams(query as [string, string][]).toString()
        }
        return body
      },
    },
    options: {
      ...ofLists,
      capabilities: ['no-energy'],
      parameters: {
        'B3.oldest-time': 'from',
        'B3.min-amount': 'least',
        'B3.max-amount': 'most',
        'B3.text': 'search',
      },
    },
    seen: { 'filters.transactions.combined': /transactions with at most/ },
  },
  'the same choices, and billing times in another time zone': {
    seam: { ...otherChoices, timeZone: 'Australia/Brisbane' },
    options: { ...ofLists, capabilities: ['no-banking'], timeZone: 'Australia/Brisbane' },
    seen: { 'windows.E4.default': /in the future/ },
  },
  'occasional unavailability': {
    seam: {
      app: (app) => {
        let count = 0
        app.addHook('onRequest', async (_, reply) => {
          count += 1
          if (count % 25 === 0)
            return reply
              .status(503)
              .header('retry-after', '0')
              .send({ error: 'Service unavailable' })
        })
      },
    },
    options: { ...withoutTokens, profile: 'smoke', capabilities: ['no-energy'] },
    seen: { 'paging.partition': /checked B1/ },
  },
}

describeOn('sqlite', 'a provider that conforms to the interface and differs from Holdfast', () => {
  const bank = shareOnEachEngine((scope) => openBank(scope, openMemoryReplayStore()))

  for (const [name, { seam, options = {}, seen }] of Object.entries(variants)) {
    it(`passes with ${name}, and the report shows it`, async () => {
      const { check } = await bank()

      const { results } = await check(seam, options)

      const failures = results.filter(({ judgement }) => judgement === 'fail')
      assert.deepEqual(
        failures.map(({ id, reason }) => `${id}: ${reason}`),
        [],
      )
      for (const [id, pattern] of Object.entries(seen)) {
        assert.match(results.find((result) => result.id === id)?.seen ?? '', pattern)
      }
    })
  }

  for (const [name, status, text] of [
    ['a page', 404, '<h1>Not Found</h1>'],
    ['an error of its own', 404, '{"error":"Resource not found"}'],
    ['another method', 405, '{"error":"Method not allowed"}'],
    ['a gateway that has no such route', 403, '{"message":"Missing Authentication Token"}'],
    ['a server without such a function', 501, ''],
  ] as const) {
    it(`passes without extensions of the interface: ${name}, status ${status}`, async () => {
      const { check } = await bank()
      const app: Seam['app'] = (app) =>
        app.addHook('onRequest', async (request, reply) => {
          const { operation } = request.routeOptions.config
          if (operation?.isExtension) return reply.status(status).type('text/plain').send(text)
        })

      const { results } = await check(
        { app },
        {
          ...onlyChecks(
            'agreement',
            'errors',
            'isolation',
            'schemas',
            'tokens.aud.everywhere',
            'wire',
          ),
          strict: true,
        },
      )

      const others = results.filter(({ judgement }) => judgement !== 'pass')
      assert.deepEqual(
        others.map(({ id, judgement, reason }) => `${judgement} ${id}: ${reason}`),
        [
          'skip agreement.accounts: BX1 (left out: an extension of the interface, which the provider does not have); EX1 (left out: an extension of the interface, which the provider does not have)',
          'skip schemas.BX1: BX1 is left out: an extension of the interface, which the provider does not have',
          'skip schemas.EX1: EX1 is left out: an extension of the interface, which the provider does not have',
        ],
      )
    })
  }

  it('leaves an extension out if no account shows whether the provider has it', async () => {
    const { check } = await bank()

    const { results } = await check(
      {},
      { ...onlyChecks('agreement.accounts', 'schemas.EX1'), capabilities: ['no-E1', 'no-E2'] },
    )

    const reason = 'left out: an extension, and no customer has an account for it'
    assert.deepEqual(
      results.map(({ id, judgement, seen, reason }) => [id, judgement, seen ?? reason]),
      [
        ['agreement.accounts', 'pass', `checked BX1; skipped EX1 (${reason})`],
        ['schemas.EX1', 'skip', `EX1 is ${reason}`],
      ],
    )
  })

  it('passes if the options that a program leaves out are undefined', async () => {
    const { check } = await bank()
    const leftOut: object = { emails: undefined, capabilities: undefined, parameters: undefined }

    const { results } = await check({}, { ...leftOut, profile: 'smoke' })

    assert.deepEqual(
      results.filter(({ judgement }) => judgement === 'fail'),
      [],
    )
  })
})
