import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { asOwner, describe, engineHere } from '../support/engines.ts'
import { plain, plainWith } from './products.ts'
import { askForToken, openWorld, pathOf, type World } from './world.ts'

const person = 'ana.silva@example.com'

/** No piece of a secret that is longer than chance. */
function assertWithout(text: string, ...secrets: readonly string[]): void {
  for (const secret of secrets) {
    for (let at = 0; at + 12 <= secret.length; at += 1) {
      const piece = secret.slice(at, at + 12)
      assert.ok(!text.includes(piece), `${piece} is in ${text.slice(0, 500)}`)
    }
  }
}

/** Everything that can go wrong with what must not be told. */
async function provoke(world: World): Promise<string> {
  const { id, secret } = world.client
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const post = (body: unknown, headers = {}) =>
    world.send('/v1/token', { method: 'POST', body, headers })
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
    await world.send(productsWith(secret), { headers: bearer(`${world.token}x`) }),
    await world.send(pathOf('x'), {
      method: 'DELETE',
      headers: bearer(`${world.token}.${secret}`),
    }),
    await world.create(plainWith({ name: [person], brand: { person } })),
    await world.create(plainWith({ product_category: person, effective_from: person })),
    await world.create(`{"name":"${person}`),
    await world.create(plainWith({ fees: [{ fee_type: 'PERIODIC', additional_value: person }] })),
    await world.get(`/v1/data-provider/cdr/products?effective=${person}`),
    await world.get(`/v1/data-provider/cdr/products?updated-since=${person}`),
    await world.get(`${pathOf(person)}/${person}`),
    await world.get(pathOf(person)),
    await world.create(plain, { 'idempotency-key': `${person}${'x'.repeat(256)}` }),
  ]
  for (const { status, text } of answers) assert.ok(status >= 400 && status < 500, text)
  return answers.map(({ text, headers }) => `${text}${JSON.stringify(headers)}`).join('\n')
}

/** Runs a statement beside the platform. */
async function run({ database }: World, sql: string): Promise<unknown[][]> {
  if (engineHere() === 'postgres') return asOwner(sql, database)
  const file = new DatabaseSync(database.slice('sqlite:'.length))
  try {
    return file.prepare(sql).all().map(Object.values)
  } finally {
    file.close()
  }
}

/** Every byte that is kept, or every row. */
async function everythingIn(world: World): Promise<string> {
  if (engineHere() === 'sqlite') {
    const file = world.database.slice('sqlite:'.length)
    return [file, `${file}-wal`].map((name) => readFileSync(name, 'latin1')).join('')
  }
  const tables = await run(
    world,
    `select table_name from information_schema.tables where table_schema = 'public'`,
  )
  const rows = await Promise.all(tables.map(([name]) => run(world, `select * from ${name}`)))
  return rows.flat(2).join('\n')
}

function productsWith(secret: string): string {
  return `/v1/data-provider/cdr/products/x/history?token=${secret}`
}

describe('secrets, tokens and people', () => {
  it('reach neither the log nor an error', async (t) => {
    const world = await openWorld(t)

    const told = await provoke(world)
    const logged = world.log.join('\n')

    for (const text of [told, logged]) {
      assertWithout(text, world.client.secret, world.token)
      assert.ok(!text.includes(person) && !text.includes('silva'), text)
    }
  })

  it('are in no log of what goes well', async (t) => {
    const world = await openWorld(t)
    const token = await askForToken(world.port, world.client)
    const id = await world.made(plainWith({ name: person }))
    await world.replace(id, plainWith({ brand: person }))
    await world.history(id)

    const logged = world.log.join('\n')

    assertWithout(logged, world.client.secret, world.token, token)
    assert.ok(!logged.includes('silva'))
  })

  it('are in no log of a failure of ours', async (t) => {
    const world = await openWorld(t)
    // Somebody takes a table away: nothing that we foresee.
    await run(world, 'alter table product_version rename to elsewhere')

    const answers = [
      await world.create(plainWith({ name: person }), { 'idempotency-key': person }),
      await world.get(pathOf(person)),
    ]

    for (const { status, text } of answers) {
      assert.deepEqual([status, text], [500, '{"error":"Internal error"}'])
    }
    const logged = world.log.join('\n')
    assert.match(logged, /request failed/)
    assertWithout(logged, world.token)
    assert.ok(!logged.includes('silva'), logged)
  })

  it('are not in the database either: only what cannot be turned back', async (t) => {
    const world = await openWorld(t)
    const token = await askForToken(world.port, world.client)

    const bytes = await everythingIn(world)

    assert.ok(bytes.includes(world.client.id), 'the client is there')
    assertWithout(bytes, world.client.secret, world.token, token)
    const [[hash] = []] = await run(world, 'select secret_hash from api_client')
    assert.match(String(hash), /^sha256\$[\w-]{43}$/)
  })
})
