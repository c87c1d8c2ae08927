import assert from 'node:assert/strict'
import { it } from 'node:test'
import { catalogueOperations, type Operation, recordBytesMax } from '../../src/contract/index.ts'
import { describeOnce } from '../support/engines.ts'
import { openPlatform, sharedPlatform } from '../support/platform.ts'
import { assertError, callDrafts, draftPath, draftsPath, ifMatch } from './draft-calls.ts'
import { getContent, minimalProduct, productWithFields } from './products.ts'

const shared = sharedPlatform()

async function open() {
  const platform = await shared()
  return { platform, drafts: callDrafts(platform) }
}

const changed = productWithFields({ name: 'Better saver' })

describeOnce('a request about a draft', () => {
  it('is validated like the product', async () => {
    const { platform, drafts } = await open()
    const id = await platform.made(minimalProduct)
    const invalid = productWithFields({ name: 1, features: [{}], colour: 'blue' })
    const large = productWithFields({ description: 'x'.repeat(recordBytesMax) })

    for (const body of [invalid, large, '[]', '{"name":']) {
      const expected = await platform.create(body)
      assert.equal(expected.status, 400)
      for (const answer of [await drafts.save(id, body), await drafts.create(body)]) {
        assert.deepEqual([answer.status, answer.text], [400, expected.text])
      }
    }
    const tag = await drafts.save(id, changed, { 'if-none-match': '"1"' })
    assert.equal(tag.status, 400)
    assert.match(tag.body.error, /^if-none-match must be /)
    assert.equal((await drafts.read(id)).status, 404)
    const tooLarge = 'x'.repeat(5 * 1024 * 1024)
    assert.equal((await drafts.save(id, tooLarge)).status, 413)
  })

  it('changes nothing with the scope products.read, whatever the operation', async () => {
    const { platform } = await open()
    const id = await platform.made(minimalProduct)
    const reader = await platform.issueToken(await platform.register(['products.read']))
    const changes = Object.values<Operation>(catalogueOperations).filter(
      ({ method }) => method !== 'GET',
    )

    assert.ok(changes.length >= 7)
    for (const { method, path } of changes) {
      const answer = await platform.send(path.replace('{productID}', id), {
        method,
        headers: { authorization: `Bearer ${reader}`, 'if-match': '*' },
        ...(method !== 'DELETE' && { body: changed }),
      })
      assertError(answer, 403, 'Insufficient scope')
    }
    assert.deepEqual(getContent(await platform.read(id)), minimalProduct)
  })

  it('requires a token with a read scope to read, and a write scope to change', async () => {
    const { platform, drafts } = await open()
    const id = await platform.made(minimalProduct)
    const saved = await drafts.save(id, changed)
    const reader = await platform.register(['products.read'])
    const token = await platform.issueToken(reader)
    const reading = callDrafts({ send: platform.send, token })
    const before = [await drafts.list(), await platform.history(id), await drafts.read(id)]

    for (const answer of [
      await reading.create(changed),
      await reading.save(id, minimalProduct, ifMatch(saved)),
      await reading.discard(id, ifMatch(saved)),
      await reading.publish(id, ifMatch(saved)),
      await reading.publish('nothing'),
      await reading.discard('nothing'),
    ]) {
      assertError(answer, 403, 'Insufficient scope')
    }
    assert.equal((await reading.read(id)).status, 200)
    assert.equal((await reading.list()).status, 200)
    for (const path of [draftPath(id), draftsPath]) {
      assert.equal((await platform.get(path)).status, 401)
    }
    const after = [await drafts.list(), await platform.history(id), await drafts.read(id)]
    assert.deepEqual(
      after.map(({ text }) => text),
      before.map(({ text }) => text),
    )
  })

  it('logs nothing of the draft', async (t) => {
    const platform = await openPlatform(t)
    const drafts = callDrafts(platform)
    const secret = 'ana.silva@example.com'
    const id = await platform.made(minimalProduct)
    const saved = await drafts.save(id, productWithFields({ name: secret }))
    await drafts.save(id, productWithFields({ product_category: secret }))
    await drafts.save(id, changed, { 'if-match': `"${secret}"` })
    await drafts.publish(id, ifMatch(saved))

    const logged = platform.log.join('\n')

    assert.match(logged, /D4/)
    for (const text of ['silva', String(saved.headers['etag']).slice(1, -1), platform.token]) {
      assert.ok(!logged.includes(text), text)
    }
  })
})
