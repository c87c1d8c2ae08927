import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { currentEngine, describe } from '../support/engines.ts'
import { openPlatform, type Platform, productPath, requestToken } from '../support/platform.ts'
import { minimalProduct, productWithFields } from './products.ts'
import { runStatement } from './run-statement.ts'

const person = 'ana.silva@example.com'

/** Not even a part of a secret that is too long for coincidence. */
function assertNotContained(text: string, ...secrets: readonly string[]): void {
  for (const secret of secrets) {
    for (let at = 0; at + 12 <= secret.length; at += 1) {
      const piece = secret.slice(at, at + 12)
      assert.ok(!text.includes(piece), `${piece} is in ${text.slice(0, 500)}`)
    }
  }
}

/** Sends invalid requests that contain secrets and personal data. */
async function provokeErrors(platform: Platform): Promise<string> {
  const { id, secret } = platform.client
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const post = (body: unknown, headers = {}) =>
    platform.send('/v1/token', { method: 'POST', body, headers })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const answers = [
    await post({ client_id: id, client_secret: `${secret}x` }),
    await post({ client_id: secret, client_secret: id }),
    await post(`{"client_id":"${id}","client_secret":"${secret}"`),
    await post({ client_id: id, client_secret: [secret] }),
    await post({ client_id: id, client_secret: secret, scope: secret }),
    await post(`client_secret=${secret}`, form),
    await post(`grant_type=client_credentials&scope=${secret}`, {
      ...form,
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    }),
    await post('x', { 'content-type': 'text/plain', authorization: `Basic ${secret}` }),
    await platform.send(historyPathWith(secret), { headers: bearer(`${platform.token}x`) }),
    await platform.send(productPath('x'), {
      method: 'DELETE',
      headers: bearer(`${platform.token}.${secret}`),
    }),
    await platform.create(productWithFields({ name: [person], brand: { person } })),
    await platform.create(productWithFields({ product_category: person, effective_from: person })),
    await platform.create(`{"name":"${person}`),
    await platform.create(
      productWithFields({ fees: [{ fee_type: 'PERIODIC', additional_value: person }] }),
    ),
    await platform.get(`/v1/data-provider/cdr/products?effective=${person}`),
    await platform.get(`/v1/data-provider/cdr/products?updated-since=${person}`),
    await platform.get(`${productPath(person)}/${person}`),
    await platform.get(productPath(person)),
    await platform.create(minimalProduct, { 'idempotency-key': `${person}${'x'.repeat(256)}` }),
  ]
  for (const { status, text } of answers) assert.ok(status >= 400 && status < 500, text)
  return answers.map(({ text, headers }) => `${text}${JSON.stringify(headers)}`).join('\n')
}

/** Reads every stored byte or row. */
async function readStoredData(platform: Platform): Promise<string> {
  if (currentEngine() === 'sqlite') {
    const file = platform.database.slice('sqlite:'.length)
    return [file, `${file}-wal`].map((name) => readFileSync(name, 'latin1')).join('')
  }
  const tables = await runStatement(
    platform,
    `select table_name from information_schema.tables where table_schema = 'public'`,
  )
  const rows = await Promise.all(
    tables.map(([name]) => runStatement(platform, `select * from ${name}`)),
  )
  return rows.flat(2).join('\n')
}

function historyPathWith(secret: string): string {
  return `/v1/data-provider/cdr/products/x/history?token=${secret}`
}

describe('secrets, tokens and personal data', () => {
  it('are in neither logs nor error responses', async (t) => {
    const platform = await openPlatform(t)

    const responses = await provokeErrors(platform)
    const logged = platform.log.join('\n')

    for (const text of [responses, logged]) {
      assertNotContained(text, platform.client.secret, platform.token)
      assert.ok(!text.includes(person) && !text.includes('silva'), text)
    }
  })

  it('are not logged for successful requests', async (t) => {
    const platform = await openPlatform(t)
    const token = await requestToken(platform.port, platform.client)
    const id = await platform.made(productWithFields({ name: person }))
    await platform.replace(id, productWithFields({ brand: person }))
    await platform.history(id)

    const logged = platform.log.join('\n')

    assertNotContained(logged, platform.client.secret, platform.token, token)
    assert.ok(!logged.includes('silva'))
  })

  it('are not logged for an internal error', async (t) => {
    const platform = await openPlatform(t)
    // A missing table causes an unexpected error.
    await runStatement(platform, 'alter table product_version rename to elsewhere')

    const answers = [
      await platform.create(productWithFields({ name: person }), { 'idempotency-key': person }),
      await platform.get(`${productPath(person)}?version=1`),
    ]

    for (const { status, text } of answers) {
      assert.deepEqual([status, text], [500, '{"error":"Internal error"}'])
    }
    const logged = platform.log.join('\n')
    assert.match(logged, /request failed/)
    assertNotContained(logged, platform.token)
    assert.ok(!logged.includes('silva'), logged)
  })

  it('are stored only as hashes', async (t) => {
    const platform = await openPlatform(t)
    const token = await requestToken(platform.port, platform.client)

    const bytes = await readStoredData(platform)

    assert.ok(bytes.includes(platform.client.id), 'the client is not stored')
    assertNotContained(bytes, platform.client.secret, platform.token, token)
    const [[hash] = []] = await runStatement(platform, 'select secret_hash from api_client')
    assert.match(String(hash), /^sha256\$[\w-]{43}$/)
  })
})
