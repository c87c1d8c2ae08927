import assert from 'node:assert/strict'
import { it } from 'node:test'
import { toExact } from '../support/decimals.ts'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { sharedProvider } from '../support/provider.ts'

const amounts = [
  '-99999999999999999999999999999999.99',
  '-9007199254740993.02',
  '-9007199254740993.01',
  '-12.55',
  '-12.50',
  '-12.5',
  '-00012.4',
  '-1',
  '-0.01',
  '-0.00',
  '0',
  '00.000',
  '0.1',
  '0.10',
  '0.10000000000000000000000000000001',
  '9',
  '10',
  '00099',
  '100.0',
  '9007199254740993.01',
  '9007199254740993.02',
  '99999999999999999999999999999999.99',
]

/** Descriptions and references by transaction id. */
const texts: Readonly<Record<string, { description?: string; reference?: string }>> = {
  rent: { description: 'Rent May', reference: 'INV-77' },
  cotton: { description: '100% cotton', reference: 'a_b' },
  items: { description: '1000 items', reference: 'aXb' },
  path: { description: 'C:\\temp', reference: '[abc]*?.' },
  quotes: { description: `it's "so"; -- drop`, reference: '日本語 東京' },
  accents: { description: 'CAFÉ ÄRGER', reference: 'ΔΕΛΤΑ ЖУК' },
  sigma: { description: 'ΟΔΟΣ' },
  controls: { description: 'a\tb\nc', reference: 'x\u0001y' },
  'description only': { description: 'lonely' },
  'reference only': { reference: 'Lonely' },
  nothing: {},
  blank: { description: '', reference: ' ' },
}

const provider = sharedProvider([
  lines.customer('ana'),
  lines.bankingAccount('amounts', { ana: true }),
  lines.bankingAccount('texts', { ana: true }),
  lines.bankingAccount('all', { ana: true }),
  ...amounts.map((amount, index) => lines.transaction('amounts', `${index}`, { amount })),
  ...Object.entries(texts).map(([id, fields]) => lines.transaction('texts', id, fields)),
  ...createTransactions().map(({ id, ...fields }) => lines.transaction('all', id, fields)),
])

/** Many transactions with few values, so that every combination of filters matches some. */
function createTransactions() {
  return Array.from({ length: 90 }, (_, index) => ({
    id: `t${index}`,
    postingDateTime: `2025-0${1 + (index % 6)}-15T00:00:00Z`,
    amount: ['-20.00', '-5.50', '0.00', '7.25', '300.00'][index % 5] ?? '',
    description: ['Rent', 'Bakery', 'salary'][index % 3] ?? '',
    ...(index % 2 === 0 && { reference: 'rental' }),
  }))
}

async function findIds(
  account: string,
  query: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { get } = await provider()
  const search = new URLSearchParams({ ...query, 'page-size': '1000' })
  const path = `/v1/banking/customer/ana/accounts/${account}/transactions?${search}`
  const { status, body, text } = await get(path)
  assert.equal(status, 200, text)
  assert.equal(body.meta.totalRecords, body.data.transactions.length)
  assert.equal(body.meta.isQueryParamUnsupported, undefined)
  return body.data.transactions
    .map(({ transactionId }: { transactionId: string }) => transactionId)
    .sort()
}

describe('the amount filters of B3', () => {
  const between = (min?: string, max?: string) =>
    amounts
      .map((amount, index) => ({ value: toExact(amount), id: `${index}` }))
      .filter(({ value }) => min === undefined || value >= toExact(min))
      .filter(({ value }) => max === undefined || value <= toExact(max))
      .map(({ id }) => id)
      .sort()

  for (const amount of [...amounts, '-12.6', '12.5', '-0', '9007199254740993', '0.0999']) {
    it(`compare exact decimals, both bounds included: ${amount}`, async () => {
      const least = await findIds('amounts', { 'min-amount': amount })
      const most = await findIds('amounts', { 'max-amount': amount })
      const equal = await findIds('amounts', { 'min-amount': amount, 'max-amount': amount })

      assert.deepEqual(least, between(amount, undefined))
      assert.deepEqual(most, between(undefined, amount))
      assert.deepEqual(equal, between(amount, amount))
    })
  }

  it('select nothing if the minimum exceeds the maximum', async () => {
    assert.deepEqual(await findIds('amounts', { 'min-amount': '0.02', 'max-amount': '0.01' }), [])
  })

  it('are signed: negative reduces the balance, positive increases it', async () => {
    const reductions = await findIds('amounts', { 'max-amount': '-0.01' })
    const rest = await findIds('amounts', { 'min-amount': '0' })

    assert.deepEqual(reductions, between(undefined, '-0.01'))
    assert.equal(reductions.length, 9)
    assert.equal(rest.length, amounts.length - 9)
  })

  for (const name of ['min-amount', 'max-amount']) {
    for (const value of [
      '',
      'ten',
      '1e3',
      '.5',
      '5.',
      '+5',
      '--1',
      '1,000',
      ' 1',
      '0x10',
      'NaN',
      '$5',
      '1'.repeat(33),
    ]) {
      it(`reject ${name}=${value}`, async () => {
        const { get } = await provider()
        const query = new URLSearchParams({ [name]: value })

        const answer = await get(`/v1/banking/customer/ana/accounts/amounts/transactions?${query}`)

        assert.equal(answer.status, 400)
        assert.deepEqual(answer.body, { error: `${name} must be a decimal string` })
      })
    }
  }
})

describe('the text filter of B3', () => {
  for (const [text, ...expected] of [
    ['RENT', 'rent'],
    ['rent may', 'rent'],
    ['ent', 'rent'],
    ['inv-', 'rent'],
    ['100%', 'cotton'],
    ['%', 'cotton'],
    ['_', 'cotton'],
    ['a_b', 'cotton'],
    ['axb', 'items'],
    ['\\', 'path'],
    ['C:\\Temp', 'path'],
    ['[abc]', 'path'],
    ['*', 'path'],
    ['?', 'path'],
    ['.', 'path'],
    ["'", 'quotes'],
    ['"so"; --', 'quotes'],
    ['日本', 'quotes'],
    ['café', 'accents'],
    ['ärger', 'accents'],
    ['δελτα', 'accents'],
    ['жук', 'accents'],
    ['cafe'],
    ['οδος', 'sigma'],
    ['Σ', 'sigma'],
    ['\t', 'controls'],
    ['\u0001', 'controls'],
    ['x\u0001Y', 'controls'],
    ['LONELY', 'description only', 'reference only'],
    ['Rent MayINV'],
    ['may inv'],
    ['MayI'],
    ['undefined'],
    ['null'],
    ['  '],
  ] as const) {
    it(`finds ${expected.join(' and ') || 'nothing'} by ${JSON.stringify(text)}`, async () => {
      assert.deepEqual(await findIds('texts', { text }), expected)
    })
  }

  it('selects everything if it is empty', async () => {
    assert.deepEqual(await findIds('texts', { text: '' }), Object.keys(texts).sort())
  })

  it('accepts up to 1000 characters of any size', async () => {
    const { get } = await provider()
    const ask = (text: string) =>
      get(`/v1/banking/customer/ana/accounts/texts/transactions?text=${encodeURIComponent(text)}`)

    const most = await ask('🦉'.repeat(1000))
    const tooMany = await ask('x'.repeat(1001))

    assert.equal(most.status, 200)
    assert.equal(tooMany.status, 400)
    assert.match(tooMany.body.error, /^text must be .*\b1000\b/)
  })
})

describe('the filters of B3 together', () => {
  const none = [undefined]

  it('select, in every combination, what matches all of them', async () => {
    const records = createTransactions()
    for (const text of [...none, 'RENT', 'bak'])
      for (const min of [...none, '-5.5', '7.25'])
        for (const max of [...none, '0', '7.250'])
          for (const oldest of [...none, '2025-03-15T00:00:00Z'])
            for (const newest of [...none, '2025-05-15T00:00:00Z']) {
              const query = Object.entries({
                text,
                'min-amount': min,
                'max-amount': max,
                'oldest-time': oldest,
                'newest-time': newest,
              }).filter((pair): pair is [string, string] => pair[1] !== undefined)

              const expected = records
                .filter(({ amount }) => min === undefined || toExact(amount) >= toExact(min))
                .filter(({ amount }) => max === undefined || toExact(amount) <= toExact(max))
                .filter(({ postingDateTime }) => postingDateTime >= (oldest ?? ''))
                .filter(({ postingDateTime }) => postingDateTime <= (newest ?? '3'))
                .filter(({ description, reference }) =>
                  [description, reference ?? '']
                    .map((part) => part.toLowerCase())
                    .some((part) => part.includes((text ?? '').toLowerCase())),
                )
                .map(({ id }) => id)
                .sort()
              assert.deepEqual(await findIds('all', Object.fromEntries(query)), expected)
            }
  })
})
