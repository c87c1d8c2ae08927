import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openPlatform } from '../support/platform.ts'
import { runInProcess } from '../support/process.ts'
import { assertError, callDrafts, ifMatch } from './draft-calls.ts'
import { minimalProduct, productWithFields } from './products.ts'
import { assertCdsError, getDetail, listNames } from './published.ts'
import { runStatement } from './run-statement.ts'

const link = 'https://bank.example/apply'
const script = 'javascript:alert(1)'
const reason = 'application_uri must be an http or https URI'
const withLink = (application_uri: string) => productWithFields({ application_uri })

/** Stores a link as a release without the rule did. */
const storeScript = (platform: { readonly database: string }, table: string, column: string) =>
  runStatement(
    platform,
    `update ${table} set ${column} = replace(${column}, '${link}', '${script}')`,
  )

describe('a link of a product', () => {
  it('is refused by every way to write a product unless it is an http or https URI', async (t) => {
    const platform = await openPlatform(t)
    const drafts = callDrafts(platform)
    const id = await platform.made(withLink(link))
    const file = join(await temporaryFolder(t), 'products.ndjson')
    const record = { product_id: id, ...withLink(script) }
    await writeFile(file, JSON.stringify({ type: 'product', record }))

    assertError(await platform.create(withLink(script)), 400, reason)
    assertError(await platform.replace(id, withLink(script)), 400, reason)
    assertError(await drafts.save(id, withLink(script)), 400, reason)
    assertError(await drafts.create(withLink(script)), 400, reason)
    const load = await runInProcess(['load', file, '--database', platform.database])

    assert.equal(load.status, 1)
    assert.ok(load.stderr.includes(reason.replace(' ', ': ')), load.stderr)
    assert.equal((await platform.read(id))['application_uri'], link)
  })

  it('that was stored before stays readable, and its product is not published', async (t) => {
    const platform = await openPlatform(t)
    const id = await platform.made(withLink(link))
    await platform.made(productWithFields({ name: 'Other' }))
    await storeScript(platform, 'product_version', 'record')
    await storeScript(platform, 'product_version', 'shown')

    assert.equal((await platform.read(id))['application_uri'], script)
    assert.deepEqual(await listNames(platform, '?effective=ALL'), ['Other'])
    assertCdsError(await getDetail(platform, id), 404, 'Resource/Invalid')
    const message = `${reason} for publication`
    const { body } = await platform.get('/v1/data-provider/cdr/unpublished-products', {
      authorization: `Bearer ${platform.token}`,
    })
    assert.deepEqual(body.data.products[0].faults, [{ field: 'application_uri', message }])
    const { stdout } = await runInProcess(['products', 'check', '--database', platform.database])
    assert.equal(stdout, `${id}  Saver: ${message}\n`)
  })

  it('of a draft that was saved before is refused when the draft is published', async (t) => {
    const platform = await openPlatform(t)
    const drafts = callDrafts(platform)
    const id = await platform.made(minimalProduct)
    const saved = await drafts.save(id, withLink(link))
    await storeScript(platform, 'product_draft', 'record')

    assertError(await drafts.publish(id, ifMatch(saved)), 400, reason)
    const command = await runInProcess(['products', 'publish', id, '--database', platform.database])

    assert.deepEqual([command.status, command.stderr], [1, `${reason}\n`])
    assert.equal((await platform.history(id)).body.meta.totalRecords, 1)
  })
})
