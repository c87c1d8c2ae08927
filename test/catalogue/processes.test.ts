import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  type Credentials,
  type Deployment,
  openDeployment,
  readCredentials,
} from '../support/deployment.ts'
import { describe } from '../support/engines.ts'
import { type Answer, send } from '../support/http.ts'
import {
  callPlatform,
  type PlatformCaller,
  productPath,
  productsPath,
  requestToken,
} from '../support/platform.ts'
import type { Server } from '../support/process.ts'
import { plain, plainWith } from './products.ts'

interface PlatformProcess extends PlatformCaller, Pick<Server, 'kill'> {}

async function startPlatform(
  deployment: Deployment,
  credentials: Credentials,
): Promise<PlatformProcess> {
  const { port, kill } = await deployment.startPlatform()
  return { ...callPlatform(port, await requestToken(port, credentials)), kill }
}

/** What was answered before the process was ended, and what was sent and may or may not have been done. */
interface Ledger {
  /** By product, the names it was given in turn, as far as that was answered. */
  readonly answered: Map<string, string[]>
  /** Bodies of creates by their key, those without an answer too. */
  readonly keys: Map<string, string>
}

const writers = 8

/** Creates and updates without a pause until the process is gone. */
async function storm(
  platform: PlatformProcess,
  writer: number,
  ledger: Ledger,
  onAnswer: () => void,
) {
  for (let turn = 0; ; turn += 1) {
    const name = `w${writer}-${turn}`
    const key = `key-${name}`
    ledger.keys.set(key, name)
    const made = await unlessGone(platform.create(plainWith({ name }), { 'idempotency-key': key }))
    if (!made) return
    assert.equal(made.status, 201, made.text)
    const id: string = made.body.product_id
    const names = [name]
    ledger.answered.set(id, names)
    onAnswer()

    for (const next of [`${name}-a`, `${name}-b`]) {
      const put = await unlessGone(platform.replace(id, plainWith({ name: next })))
      if (!put) return
      assert.equal(put.status, 204, put.text)
      names.push(next)
      onAnswer()
    }
  }
}

async function unlessGone(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    assert.match(code, /ECONNRESET|ECONNREFUSED|EPIPE/)
    return undefined
  }
}

async function killInStorm(platform: PlatformProcess, ledger: Ledger, answersWanted: number) {
  let answers = 0
  const enough = Promise.withResolvers<void>()
  const storms = Array.from({ length: writers }, (_, writer) =>
    storm(platform, writer + answersWanted * 100, ledger, () => {
      answers += 1
      if (answers === answersWanted) enough.resolve()
    }),
  )
  await Promise.race([enough.promise, ...storms])
  await platform.kill()
  await Promise.all(storms)
  assert.ok(answers >= answersWanted)
}

describe('kill -9 of a platform in a storm of writes', { timeout: 120_000 }, () => {
  it('loses nothing that was answered, and a retry makes nothing twice', async (t) => {
    const deployment = await openDeployment(t)
    const credentials = await deployment.addClient()
    const ledger: Ledger = { answered: new Map(), keys: new Map() }

    for (const answersWanted of [7, 60]) {
      await killInStorm(await startPlatform(deployment, credentials), ledger, answersWanted)
    }

    const after = await startPlatform(deployment, credentials)
    for (const [id, names] of ledger.answered) {
      const versions = await Promise.all(
        names.map(async (_, index) => (await after.read(id, index + 1))['name']),
      )
      assert.deepEqual(versions, names)
      const now = String((await after.read(id))['name'])
      // The one update that was on its way may have been done.
      assert.ok(now === names.at(-1) || now.startsWith(names[0] ?? '?'), `${id}: ${now}`)
      const { body } = await after.history(id)
      assert.ok(body.meta.totalRecords - names.length <= 1)
    }

    for (const [key, name] of ledger.keys) {
      const again = await after.create(plainWith({ name }), { 'idempotency-key': key })
      assert.equal(again.status, 201, again.text)
    }
    const { body } = await after.get(`${productsPath}?page-size=1`)
    assert.equal(body.meta.totalRecords, ledger.keys.size)
  })
})

describe('two platforms on one database', { timeout: 120_000 }, () => {
  it('are one catalogue', async (t) => {
    const deployment = await openDeployment(t)
    const credentials = await deployment.addClient()
    const both = await Promise.all([
      startPlatform(deployment, credentials),
      startPlatform(deployment, credentials),
    ])
    const [one, two] = both
    const either = (index: number) => both[index % 2] ?? one

    await t.test('a token of one is good at the other', async () => {
      const { create } = callPlatform(two.port, one.token)
      assert.equal((await create(plainWith({ brand: 'Token' }))).status, 201)
    })

    await t.test('a create that is retried at both at once makes one product', async () => {
      const product = plainWith({ brand: 'Retried' })
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          either(index).create(product, { 'idempotency-key': 'both' }),
        ),
      )

      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
      const { body } = await two.get(`${productsPath}?brand=Retried`)
      assert.equal(body.meta.totalRecords, 1)
    })

    await t.test('one of many editors at both gets through', async () => {
      const id = await one.made(plain)
      const names = Array.from({ length: 20 }, (_, index) => `Editor ${index}`)
      const answers = await Promise.all(
        names.map((name, index) =>
          either(index).replace(id, plainWith({ name }), { 'if-match': '"1"' }),
        ),
      )

      const winners = names.filter((_, index) => answers[index]?.status === 204)
      assert.equal(winners.length, 1)
      assert.equal(answers.filter(({ status }) => status === 412).length, 19)
      assert.equal((await one.read(id))['name'], winners[0])
      assert.equal((await two.read(id))['name'], winners[0])
    })

    await t.test('updates at both make versions one after another, and none is lost', async () => {
      const id = await one.made(plain)
      const names = Array.from({ length: 30 }, (_, index) => `Update ${index}`)
      const tags = await Promise.all(
        names.map(async (name, index) => {
          const { status, headers } = await either(index).replace(id, plainWith({ name }))
          assert.equal(status, 204)
          return headers['etag'] ?? ''
        }),
      )

      const versions = tags.map((tag) => Number(JSON.parse(tag))).sort((a, b) => a - b)
      assert.deepEqual(
        versions,
        names.map((_, index) => index + 2),
      )
      for (const [index, tag] of tags.entries()) {
        const version = Number(JSON.parse(tag))
        assert.equal((await either(index + 1).read(id, version))['name'], names[index])
      }
      const times = await Promise.all(
        [1, ...versions].map(async (version) => {
          const read = await one.read(id, version)
          return Temporal.Instant.from(String(read['last_updated'])).epochMilliseconds
        }),
      )
      for (const [index, time] of times.entries()) {
        assert.ok(index === 0 || time > (times[index - 1] ?? 0), 'time goes on')
      }
    })

    await t.test('a product that one deletes is gone at the other', async () => {
      const id = await one.made(plain)
      assert.equal((await two.remove(id)).status, 204)
      assert.equal((await one.get(productPath(id))).status, 404)
    })

    await t.test('a client that is removed is refused at both at once', async () => {
      const other = await deployment.addClient('other')
      const token = await requestToken(one.port, other)
      const callers = both.map(({ port }) => callPlatform(port, token))
      for (const { create } of callers) assert.equal((await create(plain)).status, 201)

      assert.equal((await deployment.runClient('remove', other.id)).status, 0)

      for (const { create } of callers) assert.equal((await create(plain)).status, 401)
    })
  })
})

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('holdfast client', { timeout: 120_000 }, () => {
  it('takes a client from its first token to its last', async (t) => {
    const deployment = await openDeployment(t)

    const first = readCredentials(
      await deployment.runClient('add', 'pricing team', '--scope', 'products.write'),
    )
    assert.match(first.id, uuid)
    assert.match(first.secret, /^[\w-]{43}$/)

    const platform = await startPlatform(deployment, first)
    assert.equal((await platform.create(plain)).status, 201)
    const ask = async (secret: string) => {
      const body = { client_id: first.id, client_secret: secret }
      return (await send(platform.port, '/v1/token', { method: 'POST', body })).status
    }

    const rotated = readCredentials(await deployment.runClient('rotate', first.id))
    assert.equal(rotated.id, first.id)
    assert.notEqual(rotated.secret, first.secret)
    assert.deepEqual([await ask(first.secret), await ask(rotated.secret)], [401, 200])
    const revoked = await platform.create(plain)
    assert.deepEqual([revoked.status, revoked.body], [401, { error: 'Unauthorized' }])
    const renewed = callPlatform(platform.port, await requestToken(platform.port, rotated))
    assert.equal((await renewed.create(plain)).status, 201)

    const second = await deployment.addClient('second', 'products.read')
    const { stdout } = await deployment.runClient('list')
    const lines = stdout.trimEnd().split('\n')
    assert.equal(lines.length, 2)
    const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`
    assert.match(
      lines[0] ?? '',
      new RegExp(`^${first.id}  products\\.write  made ${time}, secret of ${time}  pricing team$`),
    )
    assert.match(
      lines[1] ?? '',
      new RegExp(`^${second.id}  products\\.read  made ${time}  second$`),
    )
    for (const { secret } of [first, rotated, second]) assert.ok(!stdout.includes(secret))

    const { status, stdout: said } = await deployment.runClient('remove', first.id)
    assert.deepEqual([status, said], [0, ''])
    assert.equal((await renewed.create(plain)).status, 401)
    assert.equal(await ask(rotated.secret), 401)
    const reader = callPlatform(platform.port, await requestToken(platform.port, second))
    assert.equal((await reader.create(plain)).status, 403)
  })

  it('refuses what it cannot do, and says why', async (t) => {
    const deployment = await openDeployment(t)
    const unknown = 'no client with this ID: run holdfast client list\n'

    for (const [args, status, said] of [
      [['rotate', 'nobody'], 1, unknown],
      [['remove', 'nobody'], 1, unknown],
      [['add', 'x', '--scope', 'admin'], 2, '--scope must be of products.read, products.write\n'],
      [['add', 'x', '--scope', ''], 2, '--scope must be of products.read, products.write\n'],
      [
        ['add', 'a\nb', '--scope', 'products.read'],
        2,
        'the name must be 1 to 256 printable characters\n',
      ],
      [
        ['add', '', '--scope', 'products.read'],
        2,
        'the name must be 1 to 256 printable characters\n',
      ],
    ] as const) {
      const result = await deployment.runClient(...args)
      assert.deepEqual(
        { status: result.status, stdout: result.stdout, stderr: result.stderr },
        { status, stdout: '', stderr: said },
      )
    }
    const missing = await deployment.runClient('add', 'x')
    assert.equal(missing.status, 2)
    assert.match(missing.stderr, /--scope/)
    assert.equal((await deployment.runClient('list')).stdout, '')
  })

  it('takes both scopes, given twice or with a comma', async (t) => {
    const deployment = await openDeployment(t)
    const scope = '--scope'
    await deployment.runClient('add', 'twice', scope, 'products.write', scope, 'products.read')
    await deployment.runClient('add', 'comma', scope, 'products.read,products.write')

    const { stdout } = await deployment.runClient('list')

    assert.equal(stdout.match(/ {2}products\.read products\.write {2}/g)?.length, 2)
  })
})
