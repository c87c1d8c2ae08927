import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { currentEngine, describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import {
  ask,
  formatPath,
  getOperation,
  getRecords,
  type Ref,
  refs,
  refsWithBody,
  refsWithPath,
} from '../support/operations.ts'
import { propertyRuns } from '../support/properties.ts'
import { type Provider, sharedProvider } from '../support/provider.ts'

/** Part of everything that only Ben owns. No response to Ana may contain it. */
const secret = 'SECRET'
const bensBank = `ben-${secret}`
const bensEnergy = `ben-power-${secret}`

function accountLines(bank: string, energy: string, holders: readonly string[], mark: string) {
  const owners = Object.fromEntries(holders.map((holder) => [holder, true]))
  const category = { productCategory: 'LEASES', openStatus: 'OPEN', productName: mark }
  return [
    lines.bankingAccount(bank, owners, { ...category, displayName: mark }),
    lines.balance(bank, { currency: mark }),
    lines.transaction(bank, `t-${mark}`, { description: mark, reference: mark }),
    lines.scheduledPayment(bank, `s-${mark}`, { nickname: mark }),
    lines.directDebit(bank, `d-${mark}`),
    lines.contact(bank, 'OPEN', { ...lines.contactRecord, emails: [`${mark}@example.com`] }),
    lines.energyAccount(energy, holders, { displayName: mark }),
    lines.invoice(energy, `i-${mark}`, '2025-06-01'),
    {
      type: 'energy.billing',
      id: `x-${mark}`,
      record: {
        accountId: energy,
        transactionUType: 'onceOff',
        executionDateTime: '2025-06-01T00:00:00',
        onceOff: { amount: '1', description: mark },
      },
    },
    lines.contact(energy, 'RESTRICTED', {
      ...lines.contactRecord,
      emails: [`${mark}@example.com`],
    }),
  ]
}

const provider = sharedProvider([
  lines.customer('ana', { email: 'ana@example.com' }),
  lines.customer('ben', { name: secret, email: `${secret}@example.com` }),
  ...accountLines('ana-bank', 'ana-power', ['ana'], 'hers'),
  ...accountLines('joint-bank', 'joint-power', ['ana', 'ben'], 'theirs'),
  ...accountLines(bensBank, bensEnergy, ['ben'], secret),
  // For data that a later load removes.
  ...['cy', 'dan', 'eve'].map((id) => lines.customer(id, { email: 'family@example.com' })),
  ...accountLines('once-joint', 'once-joint-power', ['dan', 'eve'], 'once'),
  ...accountLines('cys-bank', 'cys-power', ['cy'], 'cys'),
  ...accountLines('gone-bank', 'gone-power', ['dan'], 'gone'),
])

const windows = ['', 'oldest-time=0001-01-01T00:00:00Z&newest-time=9999-01-01T00:00:00Z']
const filters = [
  ...windows,
  `text=${secret}`,
  'text=%25',
  'text=',
  'min-amount=-99999999&max-amount=99999999',
  'oldest-date=0001-01-01&newest-date=9999-12-31',
  'open-status=ALL',
  'product-category=LEASES&is-owned=true',
  'is-owned=false',
  'page=1&page-size=1000',
  'page=2&page-size=1',
  'customerId=ben',
  `accountId=${bensBank}&accountIds=${bensEnergy}`,
]

const encodings: Readonly<Record<string, (id: string) => string>> = {
  plain: encodeURIComponent,
  'every byte': (id) => Buffer.from(id).toString('hex').replaceAll(/../g, '%$&'),
  twice: (id) => encodeURIComponent(encodeURIComponent(`%${id}`)),
  none: (id) => id,
}

/** Sends the path and ids unchanged. */
function send(here: Provider, ref: Ref, path: string, accountIds: readonly unknown[]) {
  const { method } = getOperation(ref)
  return here.send(path, {
    method,
    ...(method === 'POST' && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ref === 'C1' ? { email: 'ana@example.com' } : { data: { accountIds } }),
    }),
  })
}

describe('another customer’s account', () => {
  for (const ref of [...refsWithPath, ...refsWithBody]) {
    it(`is indistinguishable on ${ref} from one that does not exist`, async () => {
      const here = await provider()
      const unknown = await ask(here, ref, { accounts: ['nothing'] })
      assert.ok([404, 422].includes(unknown.status))

      for (const account of [bensBank, bensEnergy]) {
        for (const query of filters) {
          // Only in a path can an id be encoded in several ways, which the engine does not see.
          const isEncoded = getOperation(ref).names === 'path' && currentEngine() === 'sqlite'
          const encoders = isEncoded ? Object.values(encodings) : [encodeURIComponent]
          for (const encode of encoders) {
            const own = (id: string) => (id === 'ana' ? id : encode(id))
            const path = formatPath(ref, { accounts: [account], query, encode: own })
            const foreign = await send(here, ref, path, [account])

            assert.deepEqual([foreign.status, foreign.text], [unknown.status, unknown.text], path)
          }
        }
      }
    })
  }

  for (const ref of refsWithBody) {
    it(`invalidates every request of ${ref} that names it`, async () => {
      const here = await provider()
      const own = getOperation(ref).kind === 'energy' ? 'ana-power' : 'ana-bank'
      const foreign = getOperation(ref).kind === 'energy' ? bensEnergy : bensBank

      for (const accounts of [
        [own, foreign],
        [foreign, own],
        [own, own, foreign],
      ]) {
        const { status, body } = await ask(here, ref, { accounts })

        assert.equal(status, 422)
        assert.deepEqual(body, { error: 'Account in query not found' })
      }
    })
  }
})

describe('a joint account', () => {
  for (const ref of [...refsWithPath, ...refsWithBody].filter((ref) => ref !== 'contact')) {
    it(`is returned by ${ref} to both holders, without their other data`, async () => {
      const here = await provider()
      const accounts = [getOperation(ref).kind === 'energy' ? 'joint-power' : 'joint-bank']

      const hers = await ask(here, ref, { accounts })
      const his = await ask(here, ref, { customer: 'ben', accounts })

      assert.equal(hers.status, 200)
      assert.equal(his.text, hers.text)
      assert.match(hers.text, /theirs/)
      assert.doesNotMatch(hers.text, /hers|SECRET/)
      if (getOperation(ref).list) assert.equal(getRecords(ref, hers).length, 1)
    })
  }
})

describe('no response to a customer', () => {
  const variants = (id: string) =>
    fc.constantFrom(
      id,
      `${id}\u0000`,
      ` ${id}`,
      id.toUpperCase(),
      `${id}' or '1'='1`,
      `${id}/../${bensBank}`,
      `../${id}`,
      `${id},ana-bank`,
      `${id}%00`,
      `${id}*`,
      `%`,
      `ana-bank;${id}`,
    )
  const customers = fc.oneof(
    fc.constant('ana'),
    variants('ana'),
    fc.constantFrom(
      'ana/../ben',
      'ana%2f..%2fben',
      './ana',
      'ana?customerId=ben',
      'ana#ben',
      'BEN',
      'ben ',
    ),
  )
  const accounts = fc.oneof(
    fc.constantFrom('ana-bank', 'ana-power', 'joint-bank', 'joint-power', bensBank, bensEnergy),
    variants(bensBank),
    variants(bensEnergy),
  )
  const anyRequest = fc.record({
    ref: fc.constantFrom(...refs),
    customer: customers,
    accounts: fc.array(accounts, { minLength: 1, maxLength: 4 }),
    query: fc.subarray(filters, { maxLength: 3 }).map((parts) => parts.filter(Boolean).join('&')),
    encode: fc.constantFrom(...Object.keys(encodings)),
  })

  it('contains a record of another, for any request', async () => {
    const here = await provider()

    await fc.assert(
      fc.asyncProperty(anyRequest, async ({ ref, encode, ...request }) => {
        const path = formatPath(ref, {
          ...request,
          encode: encodings[encode] ?? encodeURIComponent,
        })
        // HTTP clients cannot send other characters.
        fc.pre(/^[\x21-\x7e]+$/.test(path))

        const answer = await send(here, ref, path, request.accounts)

        assert.ok(answer.status < 500, answer.text)
        assert.ok(!answer.text.includes(secret), `${ref} ${path}`)
      }),
      propertyRuns(20),
    )
  })

  it('contains a record of another if no account is named', async () => {
    const here = await provider()

    for (const ref of ['B1', 'E1', 'C2', 'C3', 'C1'] as const) {
      for (const query of filters) {
        const answer = await ask(here, ref, { query })

        assert.equal(answer.status, 200)
        assert.doesNotMatch(answer.text, /SECRET/)
      }
    }
  })
})

describe('data that a later load removes', () => {
  it('is no longer available to its former holders', async () => {
    const here = await provider()

    await here.load([
      lines.bankingAccount('once-joint', { dan: true }),
      { type: 'customer', delete: { id: 'cy' } },
      { type: 'banking.account', delete: { accountId: 'gone-bank' } },
      { type: 'energy.account', delete: { accountId: 'gone-power' } },
    ])
    await here.load([lines.bankingAccount('gone-bank', { eve: true })])

    const statuses = async (customer: string, account: string) => {
      const answers = await Promise.all(
        (['B3', 'B2', 'C4', 'contact'] as const).map((ref) =>
          ask(here, ref, { customer, accounts: [account] }),
        ),
      )
      return answers.map(({ status }) => status)
    }
    assert.deepEqual(await statuses('dan', 'once-joint'), [200, 200, 200, 200])
    assert.deepEqual(await statuses('eve', 'once-joint'), [404, 422, 404, 404])
    assert.deepEqual(await statuses('dan', 'gone-bank'), [404, 422, 404, 404])
    assert.deepEqual(await statuses('cy', 'cys-bank'), [404, 404, 404, 404])
    const recreated = await ask(here, 'B3', { customer: 'eve', accounts: ['gone-bank'] })
    assert.equal(recreated.body.meta.totalRecords, 0)
    const search = await here.post('/auth/v1/customer/search', { email: 'family@example.com' })
    assert.deepEqual(
      search.body.data.map(({ id }: { id: string }) => id),
      ['dan', 'eve'],
    )
  })
})
