import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { examples, type Operation, operations, ProductInput } from '../../src/contract/index.ts'
import { findProblems } from '../../src/contract/problems.ts'
import { minimalProduct } from '../catalogue/products.ts'
import { fileScope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { send } from '../support/http.ts'
import { runHoldfast } from '../support/process.ts'
import { assertQuiet, check, hostileStrings, openClient, openConsole } from './console-browser.ts'

const catalogueUrl = '/console/catalogue'
const hostileId = '"><img src=x onerror=alert(1)>\'/../{{7*7}}'
const productUrl = (id: string) => `${catalogueUrl}/${encodeURIComponent(id)}`

/** A copy with hostile text in every field that accepts any text. */
function makeHostile(product: object, offset = 0): object {
  const copy = structuredClone(product)
  let count = offset
  const visit = (fields: Record<string, unknown> | unknown[]): void => {
    for (const [key, value] of Object.entries(fields)) {
      if (typeof value === 'object' && value !== null) visit(value as Record<string, unknown>)
      if (typeof value !== 'string') continue
      const set = (text: string) => Object.assign(fields, { [key]: text })
      set(hostileStrings[count % hostileStrings.length] ?? '')
      if (findProblems(ProductInput, copy).length > 0) set(value)
      else count += 1
    }
  }
  visit(copy as Record<string, unknown>)
  assert.ok(count - offset > 4, `${count} hostile fields`)
  return copy
}

const folder = await temporaryFolder(fileScope)
const console = await openConsole(fileScope)

describe('the catalogue and a client that may only read', () => {
  /** Every operation of the platform that changes something for an API client. */
  const changes = Object.values<Operation>(operations).filter(
    ({ base, protection, method, scope }) =>
      base === 'platform' &&
      protection === 'clientToken' &&
      scope !== 'products.read' &&
      method !== 'GET',
  )

  it('shows no button that changes anything, and every change is a 403', async () => {
    const catalogue = await openClient(console)
    const id = await catalogue.made({ ...minimalProduct, name: 'Read only' })
    await catalogue.replace(id, { ...minimalProduct, name: 'Read only again' })
    const page = await console.visitAs(['products.read'], `${catalogueUrl}?text=Read+only`)
    await page.getByRole('link', { name: 'Read only again' }).waitFor()
    await check(page, 'catalogue-read-only')
    const forbidden = /New product|Import|Edit|Duplicate|Delete|Restore|Publish|Save/
    const assertNone = async () => {
      for (const role of ['link', 'button'] as const) {
        assert.equal(await page.getByRole(role, { name: forbidden }).count(), 0)
      }
    }
    await assertNone()
    await page.getByRole('link', { name: 'Read only again' }).click()
    await page.getByRole('heading', { name: 'What customers read' }).waitFor()
    await assertNone()
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('heading', { name: 'Version 1 and version 2' }).waitFor()
    await assertNone()
    for (const path of ['/new', '/import', `/${id}/edit`]) {
      await page.goto(console.platform + catalogueUrl + path)
      await page.getByText('This page needs the scope products.write').waitFor()
    }

    const reader = await openClient(console, 'reader', 'products.read')
    assert.ok(changes.length >= 7)
    for (const { ref, method, path } of changes) {
      const target = path.replaceAll(/\{\w+\}/g, id)
      const byCookie = await page.evaluate(`(async () => {
        const { session } = await (await fetch('/v1/session')).json()
        const headers = { 'x-csrf-token': session.csrf_token, 'content-type': 'application/json' }
        const body = ${method === 'DELETE' ? 'undefined' : JSON.stringify(JSON.stringify(minimalProduct))}
        return (await fetch('${target}', { method: '${method}', headers, body })).status
      })()`)
      assert.equal(byCookie, 403, `${ref} with a cookie`)
      const byToken = await send(reader.port, target, {
        method: method as 'POST',
        headers: { authorization: `Bearer ${reader.token}` },
        ...(method !== 'DELETE' && { body: minimalProduct }),
      })
      assert.equal(byToken.status, 403, `${ref} with a token`)
    }
    assert.equal((await catalogue.read(id))['name'], 'Read only again')
    assertQuiet(page)
    await page.context().close()
  })

  /** No element of the page has an address or a handler that would run code. */
  const assertInert = async (page: Page) => {
    const found = await page.evaluate(`[...document.querySelectorAll('*')].filter((element) =>
      [...element.attributes].some(({ name, value }) =>
        name.startsWith('on') || (/^(href|src|action)$/.test(name) && /^\\s*javascript:/i.test(value)))
      || (element.localName === 'script' && !element.src) || (element.localName === 'img'))
      .map((element) => element.outerHTML)`)
    assert.deepEqual(found, [])
    assertQuiet(page)
  }

  it('shows hostile text in every field as text, and runs nothing', async () => {
    const [product, other] = (examples['ProductInput'] as object[]).map((one, index) =>
      makeHostile(one, index),
    ) as [{ name: string }, object]
    const file = join(folder, 'hostile.ndjson')
    const line = { type: 'product', record: { ...product, product_id: hostileId } }
    writeFileSync(file, `${JSON.stringify(line)}\n`)
    const load = await runHoldfast(['load', file, '--database', console.database])
    assert.equal(load.status, 0, load.stderr)
    const catalogue = await openClient(console, '<svg onload=alert(1)>')
    await catalogue.replace(hostileId, other)
    await catalogue.replace(hostileId, product)
    const second = await catalogue.made(makeHostile(product, 3))

    const page = await console.visit(`${catalogueUrl}?text=${encodeURIComponent(hostileId)}`)
    await page.getByRole('link', { name: product.name }).waitFor()
    await page.getByText('<svg onload=alert(1)>').waitFor()
    await assertInert(page)
    await check(page, 'catalogue-hostile')
    await page.getByLabel(`Select ${product.name}`).check()
    await assertInert(page)
    await page.getByRole('link', { name: product.name }).click()
    await page.getByRole('heading', { name: 'What customers read' }).waitFor()
    await page.getByText('JSON', { exact: true }).click()
    await page.locator('pre').waitFor()
    await assertInert(page)
    await check(page, 'product-hostile')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').waitFor()
    await assertInert(page)

    await page.goto(`${console.platform}${productUrl(hostileId)}/history?from=1&to=2`)
    await page.getByRole('region', { name: /Differences/ }).waitFor()
    await assertInert(page)
    await page.getByRole('button', { name: 'Restore version 2' }).click()
    await page
      .getByRole('dialog')
      .getByRole('region', { name: /Differences/ })
      .waitFor()
    await assertInert(page)

    const ids = [hostileId, second].map(encodeURIComponent).map(encodeURIComponent).join(',')
    await page.goto(`${console.platform}${catalogueUrl}/compare?ids=${ids}`)
    await page.getByRole('region', { name: 'Fields that differ' }).waitFor()
    await assertInert(page)
    await check(page, 'compare-hostile')

    for (const text of hostileStrings) {
      const query = new URLSearchParams({
        text,
        brand: text,
        category: text,
        state: text,
        ids: text,
      })
      await page.goto(`${console.platform}${catalogueUrl}?${query}`)
      await page.getByRole('alert').waitFor()
      await page.goto(`${console.platform}${catalogueUrl}/${encodeURIComponent(text)}?${query}`)
      await page.getByRole('alert').waitFor()
      await assertInert(page)
    }

    await page.goto(`${console.platform}${catalogueUrl}/import`)
    const hostileFile = join(folder, '<img src=x onerror=alert(1)>.ndjson'.replaceAll('/', ''))
    const invalid = { ...product, product_category: '<img src=x onerror=alert(1)>' }
    writeFileSync(hostileFile, `${JSON.stringify(line)}\n${JSON.stringify(invalid)}\n<script>\n`)
    await page.getByLabel('File (NDJSON)').setInputFiles(hostileFile)
    await page.getByRole('region', { name: 'Invalid lines' }).waitFor()
    await assertInert(page)
    await page.context().close()
  })
})
