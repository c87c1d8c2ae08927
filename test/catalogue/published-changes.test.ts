import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { describeOn } from '../support/engines.ts'
import { openPlatform } from '../support/platform.ts'
import { until } from '../support/until.ts'
import { productWithFields } from './products.ts'
import { getList, listNames } from './published.ts'

describeOn('sqlite', 'a published product', () => {
  it('is read again only after another process has written', async (t) => {
    const marks: unknown[] = []
    let lists = 0
    const platform = await openPlatform(t, {
      around: (store) => ({
        ...store,
        async readChangeMark() {
          const mark = await store.readChangeMark()
          marks.push(mark)
          return mark
        },
        listVersions(after, limit) {
          lists += 1
          return store.listVersions(after, limit)
        },
      }),
    })

    await until(async () => {
      await listNames(platform)
      return marks.length > new Set(marks).size + 1
    })

    assert.equal(lists, new Set(marks).size)
  })

  it('is looked for in parts among many', async (t) => {
    const parts: number[] = []
    const platform = await openPlatform(t, {
      around: (store) => ({
        ...store,
        async listVersions(after, limit) {
          const part = await store.listVersions(after, limit)
          parts.push(part.length)
          return part
        },
      }),
    })
    await platform.load(
      Array.from({ length: 1100 }, (_, index) => ({
        type: 'product',
        record: { product_id: `p${index}`, ...productWithFields({ name: `Product ${index}` }) },
      })),
    )

    assert.equal((await getList(platform, '?page-size=1')).body.meta.totalRecords, 1100)
    assert.deepEqual(parts, [1000, 100])
  })

  it('is in the list after another database was restored with an equal version of it', async (t) => {
    const platform = await openPlatform(t)
    await platform.made(productWithFields({ name: 'Before' }))
    assert.deepEqual(await listNames(platform), ['Before'])
    const file = new DatabaseSync(platform.database.replace(/^sqlite:/, ''))
    t.after(() => file.close())

    file.exec(
      `update product_version
       set record = replace(record, 'Before', 'Restored'), changed_at = changed_at - 1000`,
    )

    await until(async () => (await listNames(platform)).join() === 'Restored')
  })
})
