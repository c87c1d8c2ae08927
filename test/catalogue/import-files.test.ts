import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { openCatalogueStore } from '../../src/storage/open.ts'
import { describe } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { detailOf, openImport } from './importing.ts'

describe('an import from a file', () => {
  const response = JSON.stringify({ data: detailOf('p1'), links: { self: 'x' }, meta: {} }, null, 2)
  for (const [name, content, ids] of [
    ['a response', response, ['p1']],
    ['a detail', JSON.stringify(detailOf('p1')), ['p1']],
    ['an array', JSON.stringify([detailOf('p1'), { data: detailOf('p2') }]), ['p1', 'p2']],
    [
      'lines',
      `${JSON.stringify(detailOf('p1'))}\n\n${JSON.stringify({ data: detailOf('p2') })}\r\n`,
      ['p1', 'p2'],
    ],
  ] as const) {
    it(`reads ${name}`, async (t) => {
      const { run, isStored } = await openImport(t)
      const file = join(await temporaryFolder(t), 'details')
      await writeFile(file, content)

      const { status, stdout } = await run(file)

      assert.equal(status, 0, stdout)
      for (const id of ids) assert.ok(await isStored(id))
      const unchanged = new RegExp(`0 created, 0 changed, ${ids.length} unchanged`)
      assert.match((await run(file)).stdout, unchanged)
    })
  }

  it('names what cannot be imported by id, line or element', async (t) => {
    const { run, isStored } = await openImport(t)
    const folder = await temporaryFolder(t)
    const { brand: _brand, ...incomplete } = detailOf('p2') ?? {}
    const list = { data: { products: [detailOf('p3')] } }
    const values = [detailOf('p1'), incomplete, list, 'text']
    await writeFile(join(folder, 'array'), JSON.stringify(values))
    const lines = [...values.map((value) => JSON.stringify(value)), '{']
    await writeFile(join(folder, 'lines'), lines.join('\n'))
    const isList =
      'is a list of products, which has no fees and rates: save the detail of each product'

    const array = await run(join(folder, 'array'))
    const ndjson = await run(join(folder, 'lines'))

    assert.equal(array.status, 1)
    assert.deepEqual(array.stdout.split('\n'), [
      'p2  not imported: brand is required',
      `element 3  not imported: ${isList}`,
      'element 4  not imported: must be an object',
      '4 products: 1 created, 0 changed, 0 unchanged, 3 not imported',
      '',
    ])
    assert.deepEqual(ndjson.stdout.split('\n').slice(1, 4), [
      `line 3  not imported: ${isList}`,
      'line 4  not imported: must be an object',
      'line 5  not imported: is not JSON',
    ])
    assert.ok(await isStored('p1'))
  })

  it('keeps every price of a fee with several methods', async (t) => {
    const { run, database } = await openImport(t)
    const file = join(await temporaryFolder(t), 'details')
    const fee = {
      name: 'Cash advance',
      feeType: 'CASH_ADVANCE',
      feeMethodUType: 'rateBased',
      fixedAmount: { amount: '5.00' },
      rateBased: { rateType: 'TRANSACTION', rate: '0.03' },
      variable: { feeMaximum: '50.00' },
    }
    await writeFile(file, JSON.stringify({ ...detailOf('p1'), fees: [fee] }))

    const { status, stdout } = await run(file)

    assert.equal(status, 0)
    assert.deepEqual(stdout.split('\n'), [
      'p1  fees[0] has 3 prices, of which each is imported on its own',
      '1 product: 1 created, 0 changed, 0 unchanged, 0 not imported',
      '',
    ])
    const store = await openCatalogueStore(database)
    const product = JSON.parse((await store.read('p1'))?.shown ?? '{}')
    await store.close()
    const shared = { name: 'Cash advance', fee_type: 'CASH_ADVANCE' }
    assert.deepEqual(product.fees, [
      {
        ...shared,
        fee_method_u_type: 'rateBased',
        rate_based: { rate_type: 'TRANSACTION', rate: '0.03' },
      },
      { ...shared, fee_method_u_type: 'fixedAmount', fixed_amount: { amount: '5.00' } },
      { ...shared, fee_method_u_type: 'variable', variable: { fee_maximum: '50.00' } },
    ])
  })

  it('keeps a product that is older in the file than in the catalogue', async (t) => {
    const { run } = await openImport(t)
    const folder = await temporaryFolder(t)
    const save = (name: string, fields: object) =>
      writeFile(join(folder, name), JSON.stringify({ ...detailOf('p1'), ...fields }))
    await save('older', { name: 'Old', lastUpdated: '2026-04-30T23:59:59.999Z' })
    await save('same', {})
    await save('later', { name: 'New', lastUpdated: '2026-05-01T00:00:00.001Z' })

    const outcomes: string[] = []
    for (const name of ['same', 'older', 'later', 'same']) {
      outcomes.push((await run(join(folder, name))).stdout)
    }

    const kept = (name: string) =>
      `p1  kept: "${name}" is later in the catalogue. To replace it: --replace p1\n1 product: 0 created, 0 changed, 0 unchanged, 1 kept, 0 not imported\n`
    assert.deepEqual(outcomes, [
      '1 product: 1 created, 0 changed, 0 unchanged, 0 not imported\n',
      kept('Account'),
      '1 product: 0 created, 1 changed, 0 unchanged, 0 not imported\n',
      kept('New'),
    ])
    const replaced = await run(join(folder, 'older'), '--replace', 'p1')
    assert.deepEqual([replaced.status, replaced.stderr], [0, ''])
    assert.match(replaced.stdout, /^1 product: 0 created, 1 changed/)
  })

  it('fails for a file that is not JSON, not UTF-8 or a folder', async (t) => {
    const { run } = await openImport(t)
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, 'text'), 'name,brand\nSaver,Bank\n')
    await writeFile(join(folder, 'bytes'), Buffer.from([0xff]))
    await mkdir(join(folder, 'folder'))

    for (const [name, reason] of [
      ['text', 'is neither JSON nor a JSON object on each line'],
      ['bytes', 'is not UTF-8'],
      ['folder', 'cannot be read: it is a directory'],
    ] as const) {
      const { status, stderr } = await run(join(folder, name))

      assert.equal(status, 1)
      assert.equal(stderr, `${join(folder, name)} ${reason}\n`)
    }
  })
})
