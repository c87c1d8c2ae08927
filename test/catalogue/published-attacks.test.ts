import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../support/any-character.ts'
import { describe } from '../support/engines.ts'
import { openPlatform, sharedPlatform } from '../support/platform.ts'
import { propertyRuns } from '../support/properties.ts'
import { productWithFields } from './products.ts'
import { getList, listVersion, publishedPath } from './published.ts'

const names = ['effective', 'updated-since', 'brand', 'product-category', 'page', 'page-size']

const hostileText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.constantFrom(
    '\0',
    '%00',
    "' or 1=1 --",
    '__proto__',
    'constructor',
    '9'.repeat(400),
    '-0',
    '1e3',
    '0x10',
    '-271821-04-20T00:00:00Z',
    '9999-12-31T23:59:59.999999999+23:59',
    '0000-01-01T00:00:00-23:59',
    '2026-01-01T00:00:60Z',
    '💥'.repeat(50),
  ),
)

describe('hostile requests for published products', () => {
  const open = sharedPlatform()

  it('never cause an error of the server', async () => {
    const platform = await open()
    await platform.made(productWithFields({ name: 'Saver' }))
    const pair = fc.tuple(fc.oneof(fc.constantFrom(...names), hostileText), hostileText)

    await fc.assert(
      fc.asyncProperty(
        fc.array(pair, { maxLength: 8 }),
        hostileText,
        fc.boolean(),
        async (pairs, text, isRaw) => {
          const query = pairs
            .map((each) => each.map((part) => encode(part, isRaw)).join('='))
            .join('&')
          const version = encodeURIComponent(text.toWellFormed()).slice(0, 20)
          for (const [path, headers] of [
            [`${publishedPath}?${query}`, listVersion],
            [`${publishedPath}?${query}`, { 'x-v': '5', 'x-min-v': version }],
            [`${publishedPath}/${encode(text, isRaw)}?${query}`, { 'x-v': '7' }],
            [`${publishedPath}`, { 'x-v': version, 'if-none-match': version }],
          ] as const) {
            const answer = await platform.get(path, headers)
            assert.ok(answer.status < 500, `${answer.status} ${path}`)
            assert.equal(answer.status >= 400, answer.body?.errors !== undefined, answer.text)
          }
        },
      ),
      propertyRuns(150),
    )
  })

  it('with many different parameters do not slow the others down or change them', async (t) => {
    const platform = await openPlatform(t)
    for (const name of ['A', 'B', 'C']) await platform.made(productWithFields({ name }))
    const before = await getList(platform)

    for (let index = 0; index < 600; index += 1) {
      const time = new Date(index).toISOString()
      const answer = await getList(
        platform,
        `?page-size=${index + 1}&updated-since=${time}&x=${index}`,
      )
      assert.equal(answer.body.meta.totalRecords, 3)
      assert.equal((await getList(platform, `?page-size=${index + 1}`)).status, 200)
    }

    assert.equal((await getList(platform)).text, before.text)
  })
})

/** Raw: as far as the client of HTTP sends it. */
function encode(text: string, isRaw: boolean): string {
  const encoded = encodeURIComponent(text.toWellFormed())
  return isRaw ? encoded.replaceAll('%25', '%') : encoded
}
