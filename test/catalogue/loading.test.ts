import assert from 'node:assert/strict'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { it } from 'node:test'
import { createNdjsonSource } from '../../src/intake/lines.ts'
import { load } from '../../src/intake/load.ts'
import { createDatabase, openProviderWriter } from '../../src/storage/open.ts'
import { describe } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { dumpDatabase, loadInProcess } from '../support/load.ts'
import { openPlatform, type Platform, productPath, productsPath } from '../support/platform.ts'
import { getContent, minimalProduct, productWithFields } from './products.ts'

const line = (product_id: string, fields: object = {}) => ({
  type: 'product',
  record: { product_id, ...productWithFields(fields) },
})

interface Change {
  readonly version: number
  readonly change: string
  readonly changed_by: string
  readonly changed_by_name: string
}

async function listChanges({ history }: Platform, id: string): Promise<string[]> {
  const { body } = await history(id)
  return body.data.history.map(
    ({ version, change, changed_by }: Change) => `${version} ${change} ${changed_by}`,
  )
}

/** Loads lines with the given load time. */
async function loadAt(
  { database }: Platform,
  time: string,
  lines: readonly object[],
): Promise<void> {
  await createDatabase(database)
  const writer = await openProviderWriter(database, { loadTime: Temporal.Instant.from(time) })
  try {
    const text = lines.map((each) => `${JSON.stringify(each)}\n`).join('')
    const open = () => Readable.from([Buffer.from(text)])
    await load([createNdjsonSource({ name: 'lines', open })], writer, {
      onError: ({ line, path, reason }) => assert.fail(`line ${line}: ${path} ${reason}`),
    })
  } finally {
    await writer.close()
  }
}

describe('a loaded product', () => {
  it('can be read, listed and changed like any other', async (t) => {
    const platform = await openPlatform(t)
    const record = {
      product_id: 'p-1',
      ...productWithFields({
        deposit_rates: [
          {
            deposit_rate_type: 'VARIABLE',
            rate: '0.1',
            tiers: [{ unitOfMeasure: 'DAY', minimumValue: 1 }],
          },
        ],
        fees: [
          {
            discounts: [
              { discount_method_u_type: 'fixedAmount', fixed_amount: { amount: '4.00' } },
            ],
          },
        ],
      }),
      last_updated: '2026-03-01T10:00:00+10:00',
    }
    await platform.load([{ type: 'product', record }])

    const read = await platform.read('p-1')
    assert.deepEqual(read, {
      ...record,
      deposit_rates: [
        {
          deposit_rate_type: 'VARIABLE',
          rate: '0.1',
          tiers: [{ unit_of_measure: 'DAY', minimum_value: '1' }],
        },
      ],
      fees: [
        {
          discounts: [
            {
              discount_method_u_type: 'fixedAmount',
              fixed_amount: { amount: '4.00' },
              amount: '4.00',
            },
          ],
        },
      ],
    })
    assert.deepEqual((await platform.get(productsPath)).body.data.products, [read])
    assert.equal((await platform.replace('p-1', minimalProduct, { 'if-match': '"1"' })).status, 204)
    assert.deepEqual(await listChanges(platform, 'p-1'), [
      `2 UPDATED ${platform.client.id}`,
      '1 CREATED load',
    ])
  })

  it('can have any valid id', async (t) => {
    const platform = await openPlatform(t)
    const ids = ['a/b', '..', 'ü 漢', '%2F', 'a?b#c', "'; --", 'x'.repeat(256), 'history']
    await platform.load(ids.map((id) => line(id)))

    for (const id of ids) {
      // An HTTP client would normalise two dots.
      const path = id === '..' ? `${productsPath}/%2E%2E` : productPath(id)
      const answer = await platform.get(path)
      assert.equal(answer.status, 200, `${id}: ${answer.text}`)
      assert.equal(answer.body.product_id, id)
      assert.deepEqual(await listChanges(platform, id), ['1 CREATED load'])
      assert.equal((await platform.replace(id, productWithFields({ name: 'B' }))).status, 204)
      assert.equal((await platform.remove(id)).status, 204)
    }
  })

  it('has the author load in the history, even if a client created it', async (t) => {
    const platform = await openPlatform(t)
    const id = await platform.made(minimalProduct)
    await platform.load([line(id, { name: 'Loaded' })])
    await platform.load([{ type: 'product', delete: { product_id: id } }])
    await platform.load([line(id, { name: 'Back' })])

    assert.deepEqual(await listChanges(platform, id), [
      '4 CREATED load',
      '3 DELETED load',
      '2 UPDATED load',
      `1 CREATED ${platform.client.id}`,
    ])
    assert.equal((await platform.read(id))['name'], 'Back')
    const { body } = await platform.history(id)
    assert.equal(body.data.history[0].changed_by_name, 'holdfast load')
  })

  it('never gets an earlier last_updated', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00Z' })
    const updated = async () => (await platform.read('p-1'))['last_updated']
    await loadAt(platform, '2026-07-01T00:00:00Z', [line('p-1')])
    assert.equal(await updated(), '2026-07-01T00:00:00Z')

    await loadAt(platform, '2020-01-01T00:00:00Z', [line('p-1', { name: 'B' })])
    assert.equal(await updated(), '2026-07-01T00:00:00.001Z')
    await loadAt(platform, '2020-01-01T00:00:00Z', [
      line('p-1', { name: 'C', last_updated: '2025-01-01T00:00:00Z' }),
    ])
    assert.equal(await updated(), '2026-07-01T00:00:00.002Z')
    await loadAt(platform, '2020-01-01T00:00:00Z', [
      line('p-1', { name: 'D', last_updated: '2026-08-01T00:00:00Z' }),
    ])
    assert.equal(await updated(), '2026-08-01T00:00:00Z')
    await platform.replace('p-1', minimalProduct)
    assert.equal(await updated(), '2026-08-01T00:00:00.001Z')
    await loadAt(platform, '2020-01-01T00:00:00Z', [
      { type: 'product', delete: { product_id: 'p-1' } },
    ])
    await loadAt(platform, '2020-01-01T00:00:00Z', [line('p-1')])
    assert.equal(await updated(), '2026-08-01T00:00:00.003Z')
  })

  it('can be updated after the latest possible last_updated', async (t) => {
    const platform = await openPlatform(t)
    const last = '9999-12-31T23:59:59.999999999Z'
    await loadAt(platform, '2026-07-01T00:00:00Z', [line('p-1', { last_updated: last })])

    assert.equal((await platform.replace('p-1', productWithFields({ name: 'B' }))).status, 204)

    assert.match(String((await platform.read('p-1'))['last_updated']), /^9999-/)
  })

  it('is unchanged if the load is rejected', async (t) => {
    const platform = await openPlatform(t)
    await platform.load([line('p-1')])

    await assert.rejects(platform.load([line('p-1', { name: 'B' }), line('p-2', { name: 1 })]))

    assert.deepEqual(await listChanges(platform, 'p-1'), ['1 CREATED load'])
    assert.deepEqual(getContent(await platform.read('p-1')), minimalProduct)
  })
})

describe('loading a file twice', () => {
  const cases = {
    'without times': [line('p-1'), line('p-2', { name: 'B' })],
    'with times': [line('p-1', { last_updated: '2026-01-01T00:00:00Z' })],
    'with future times': [line('p-1', { last_updated: '2030-01-01T10:00:00+10:00' })],
    'with the same product twice': [line('p-1', { name: 'A' }), line('p-1', { name: 'B' })],
    'with a product that is deleted again': [
      line('p-1'),
      { type: 'product', delete: { product_id: 'p-1' } },
    ],
    'with a product that is deleted first': [
      { type: 'product', delete: { product_id: 'p-1' } },
      line('p-1'),
    ],
    'with the same product far apart': [
      line('p-1', { name: 'A' }),
      ...Array.from({ length: 2500 }, (_, index) => line(`q-${index}`)),
      line('p-1', { name: 'B' }),
    ],
  }
  for (const [name, lines] of Object.entries(cases)) {
    it(`changes nothing ${name}`, async (t) => {
      const platform = await openPlatform(t)
      await loadAt(platform, '2026-07-01T00:00:00Z', lines)
      const [changes, read] = [
        await listChangesIfAny(platform),
        await platform.get(productPath('p-1')),
      ]

      await loadAt(platform, '2026-07-02T00:00:00Z', lines)

      assert.deepEqual(await listChangesIfAny(platform), changes)
      assert.equal((await platform.get(productPath('p-1'))).text, read.text)
    })
  }

  async function listChangesIfAny(platform: Platform): Promise<string[]> {
    const { status } = await platform.history('p-1')
    return status === 404 ? [] : listChanges(platform, 'p-1')
  }
})

describe('a dump', () => {
  it('is identical after it is restored and dumped again', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T00:00:00.123Z' })
    await platform.load([
      line('loaded', { name: 'ü "quoted" \u2028 🐚', last_updated: '2026-03-01T10:00:00.5+10:00' }),
      line('deleted'),
    ])
    const id = await platform.made(
      productWithFields({
        fees: [
          {
            discounts: [
              {
                discount_method_u_type: 'rateBased',
                rate_based: {
                  rate: '0.5',
                  rate_type: 'FEE',
                  amount_range: { discount_maximum: '2' },
                },
              },
            ],
          },
        ],
      }),
    )
    await platform.replace(id, { ...(await platform.read(id)), name: 'Changed' })
    await platform.remove('deleted')

    const first = await platform.dump()
    const other = `sqlite:${join(await temporaryFolder(t), 'other.db')}`
    await loadInProcess(other, first.trimEnd().split('\n'))
    const second = await dumpDatabase(other)

    assert.equal(second, first)
    const records = first
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text))
    assert.deepEqual(records.map(({ record }) => record.product_id).sort(), [id, 'loaded'].sort())
    const { fees, last_updated } = records.find(({ record }) => record.product_id === id).record
    assert.deepEqual(fees[0].discounts[0], {
      discount_method_u_type: 'rateBased',
      rate_based: { rate: '0.5', rate_type: 'FEE', amount_range: { discount_maximum: '2' } },
    })
    assert.equal(last_updated, '2026-07-01T00:00:00.124Z')

    await loadInProcess(platform.database, first.trimEnd().split('\n'))
    assert.equal(await platform.dump(), first)
    assert.equal(
      (await listChanges(platform, id)).length,
      2,
      'an unchanged product got a new version',
    )
  })

  it('contains no API clients', async (t) => {
    const platform = await openPlatform(t)
    assert.equal(await platform.dump(), '')
  })
})
