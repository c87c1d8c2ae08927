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
import { minimalProduct, productWithFields } from './products.ts'

interface PlatformProcess extends PlatformCaller, Pick<Server, 'kill'> {}

async function startPlatform(
  deployment: Deployment,
  credentials: Credentials,
): Promise<PlatformProcess> {
  const { port, kill } = await deployment.startPlatform()
  return { ...callPlatform(port, await requestToken(port, credentials)), kill }
}

/** The acknowledged writes, and all requests that may have been executed. */
interface Ledger {
  /** The acknowledged names of each product, in order. */
  readonly answered: Map<string, string[]>
  /** The names of created products by idempotency key, acknowledged or not. */
  readonly keys: Map<string, string>
}

const writers = 8

/** Creates and updates products until the process is killed. */
async function writeContinuously(
  platform: PlatformProcess,
  writer: number,
  ledger: Ledger,
  onAnswer: () => void,
) {
  for (let round = 0; ; round += 1) {
    const name = `w${writer}-${round}`
    const key = `key-${name}`
    ledger.keys.set(key, name)
    const made = await orUndefinedIfKilled(
      platform.create(productWithFields({ name }), { 'idempotency-key': key }),
    )
    if (!made) return
    assert.equal(made.status, 201, made.text)
    const id: string = made.body.product_id
    const names = [name]
    ledger.answered.set(id, names)
    onAnswer()

    for (const next of [`${name}-a`, `${name}-b`]) {
      const put = await orUndefinedIfKilled(platform.replace(id, productWithFields({ name: next })))
      if (!put) return
      assert.equal(put.status, 204, put.text)
      names.push(next)
      onAnswer()
    }
  }
}

async function orUndefinedIfKilled(request: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await request
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    assert.match(code, /ECONNRESET|ECONNREFUSED|EPIPE/)
    return undefined
  }
}

async function killDuringWrites(platform: PlatformProcess, ledger: Ledger, answersMin: number) {
  let answers = 0
  const enough = Promise.withResolvers<void>()
  const writes = Array.from({ length: writers }, (_, writer) =>
    writeContinuously(platform, writer + answersMin * 100, ledger, () => {
      answers += 1
      if (answers === answersMin) enough.resolve()
    }),
  )
  await Promise.race([enough.promise, ...writes])
  await platform.kill()
  await Promise.all(writes)
  assert.ok(answers >= answersMin)
}

describe('kill -9 of a platform during continuous writes', { timeout: 120_000 }, () => {
  it('loses no acknowledged write, and a retry creates no duplicate', async (t) => {
    const deployment = await openDeployment(t)
    const credentials = await deployment.addClient()
    const ledger: Ledger = { answered: new Map(), keys: new Map() }

    for (const answersMin of [7, 60]) {
      await killDuringWrites(await startPlatform(deployment, credentials), ledger, answersMin)
    }

    const after = await startPlatform(deployment, credentials)
    for (const [id, names] of ledger.answered) {
      const versions = await Promise.all(
        names.map(async (_, index) => (await after.read(id, index + 1))['name']),
      )
      assert.deepEqual(versions, names)
      const now = String((await after.read(id))['name'])
      // The in-flight update may have been executed.
      assert.ok(now === names.at(-1) || now.startsWith(names[0] ?? '?'), `${id}: ${now}`)
      const { body } = await after.history(id)
      assert.ok(body.meta.totalRecords - names.length <= 1)
    }

    for (const [key, name] of ledger.keys) {
      const again = await after.create(productWithFields({ name }), { 'idempotency-key': key })
      assert.equal(again.status, 201, again.text)
    }
    const { body } = await after.get(`${productsPath}?page-size=1`)
    assert.equal(body.meta.totalRecords, ledger.keys.size)
  })
})

describe('two platforms on one database', { timeout: 120_000 }, () => {
  it('share one catalogue', async (t) => {
    const deployment = await openDeployment(t)
    const credentials = await deployment.addClient()
    const both = await Promise.all([
      startPlatform(deployment, credentials),
      startPlatform(deployment, credentials),
    ])
    const [one, two] = both
    const pickPlatform = (index: number) => both[index % 2] ?? one

    await t.test('a token of one is valid at the other', async () => {
      const { create } = callPlatform(two.port, one.token)
      assert.equal((await create(productWithFields({ brand: 'Token' }))).status, 201)
    })

    await t.test('a create retried at both concurrently creates one product', async () => {
      const product = productWithFields({ brand: 'Retried' })
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          pickPlatform(index).create(product, { 'idempotency-key': 'both' }),
        ),
      )

      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
      const { body } = await two.get(`${productsPath}?brand=Retried`)
      assert.equal(body.meta.totalRecords, 1)
    })

    await t.test('exactly one of many conditional updates succeeds', async () => {
      const id = await one.made(minimalProduct)
      const names = Array.from({ length: 20 }, (_, index) => `Editor ${index}`)
      const answers = await Promise.all(
        names.map((name, index) =>
          pickPlatform(index).replace(id, productWithFields({ name }), { 'if-match': '"1"' }),
        ),
      )

      const winners = names.filter((_, index) => answers[index]?.status === 204)
      assert.equal(winners.length, 1)
      assert.equal(answers.filter(({ status }) => status === 412).length, 19)
      assert.equal((await one.read(id))['name'], winners[0])
      assert.equal((await two.read(id))['name'], winners[0])
    })

    await t.test('concurrent updates get consecutive versions, and none is lost', async () => {
      const id = await one.made(minimalProduct)
      const names = Array.from({ length: 30 }, (_, index) => `Update ${index}`)
      const tags = await Promise.all(
        names.map(async (name, index) => {
          const { status, headers } = await pickPlatform(index).replace(
            id,
            productWithFields({ name }),
          )
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
        assert.equal((await pickPlatform(index + 1).read(id, version))['name'], names[index])
      }
      const times = await Promise.all(
        [1, ...versions].map(async (version) => {
          const read = await one.read(id, version)
          return Temporal.Instant.from(String(read['last_updated'])).epochMilliseconds
        }),
      )
      for (const [index, time] of times.entries()) {
        assert.ok(index === 0 || time > (times[index - 1] ?? 0), 'last_updated does not increase')
      }
    })

    await t.test('a product deleted at one is not found at the other', async () => {
      const id = await one.made(minimalProduct)
      assert.equal((await two.remove(id)).status, 204)
      assert.equal((await one.get(productPath(id))).status, 404)
    })

    await t.test('a removed client is rejected at both immediately', async () => {
      const other = await deployment.addClient('other')
      const token = await requestToken(one.port, other)
      const callers = both.map(({ port }) => callPlatform(port, token))
      for (const { create } of callers) assert.equal((await create(minimalProduct)).status, 201)

      assert.equal((await deployment.runClient('remove', other.id)).status, 0)

      for (const { create } of callers) assert.equal((await create(minimalProduct)).status, 401)
    })
  })
})

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('holdfast client', { timeout: 120_000 }, () => {
  it('adds, rotates, lists and removes clients', async (t) => {
    const deployment = await openDeployment(t)

    const first = readCredentials(
      await deployment.runClient('add', 'pricing team', '--scope', 'products.write'),
    )
    assert.match(first.id, uuid)
    assert.match(first.secret, /^[\w-]{43}$/)

    const platform = await startPlatform(deployment, first)
    assert.equal((await platform.create(minimalProduct)).status, 201)
    const requestStatus = async (secret: string) => {
      const body = { client_id: first.id, client_secret: secret }
      return (await send(platform.port, '/v1/token', { method: 'POST', body })).status
    }

    const rotated = readCredentials(await deployment.runClient('rotate', first.id))
    assert.equal(rotated.id, first.id)
    assert.notEqual(rotated.secret, first.secret)
    assert.deepEqual(
      [await requestStatus(first.secret), await requestStatus(rotated.secret)],
      [401, 200],
    )
    const revoked = await platform.create(minimalProduct)
    assert.deepEqual([revoked.status, revoked.body], [401, { error: 'Unauthorized' }])
    const renewed = callPlatform(platform.port, await requestToken(platform.port, rotated))
    assert.equal((await renewed.create(minimalProduct)).status, 201)

    const second = await deployment.addClient('second', 'products.read')
    const { stdout } = await deployment.runClient('list')
    const lines = stdout.trimEnd().split('\n')
    assert.equal(lines.length, 2)
    const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`
    assert.match(
      lines[0] ?? '',
      new RegExp(
        `^${first.id}  products\\.write  created ${time}, secret rotated ${time}  pricing team$`,
      ),
    )
    assert.match(
      lines[1] ?? '',
      new RegExp(`^${second.id}  products\\.read  created ${time}  second$`),
    )
    for (const { secret } of [first, rotated, second]) assert.ok(!stdout.includes(secret))

    const { status, stdout: output } = await deployment.runClient('remove', first.id)
    assert.deepEqual([status, output], [0, ''])
    assert.equal((await renewed.create(minimalProduct)).status, 401)
    assert.equal(await requestStatus(rotated.secret), 401)
    const reader = callPlatform(platform.port, await requestToken(platform.port, second))
    assert.equal((await reader.create(minimalProduct)).status, 403)
  })

  it('rejects invalid arguments with a reason', async (t) => {
    const deployment = await openDeployment(t)
    const unknown = 'no client with this ID: run holdfast client list\n'

    for (const [args, status, output] of [
      [['rotate', 'unknown'], 1, unknown],
      [['remove', 'unknown'], 1, unknown],
      [
        ['add', 'x', '--scope', 'admin'],
        2,
        '--scope must be one or more of products.read, products.write\n',
      ],
      [
        ['add', 'x', '--scope', ''],
        2,
        '--scope must be one or more of products.read, products.write\n',
      ],
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
        { status, stdout: '', stderr: output },
      )
    }
    const missing = await deployment.runClient('add', 'x')
    assert.equal(missing.status, 2)
    assert.match(missing.stderr, /--scope/)
    assert.equal((await deployment.runClient('list')).stdout, '')
  })

  it('accepts two scopes, repeated or separated by a comma', async (t) => {
    const deployment = await openDeployment(t)
    const scope = '--scope'
    await deployment.runClient('add', 'twice', scope, 'products.write', scope, 'products.read')
    await deployment.runClient('add', 'comma', scope, 'products.read,products.write')

    const { stdout } = await deployment.runClient('list')

    assert.equal(stdout.match(/ {2}products\.read products\.write {2}/g)?.length, 2)
  })
})
