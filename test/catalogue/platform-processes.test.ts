import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Credentials, type Deployment, openDeployment } from '../support/deployment.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
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

const writtenBrand = 'Written'
const writtenProduct = (name: string) => productWithFields({ brand: writtenBrand, name })

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
      platform.create(writtenProduct(name), { 'idempotency-key': key }),
    )
    if (!made) return
    assert.equal(made.status, 201, made.text)
    const id: string = made.body.product_id
    const names = [name]
    ledger.answered.set(id, names)
    onAnswer()

    for (const next of [`${name}-a`, `${name}-b`]) {
      const put = await orUndefinedIfKilled(platform.replace(id, writtenProduct(next)))
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
    writeContinuously(platform, writer, ledger, () => {
      answers += 1
      if (answers === answersMin) enough.resolve()
    }),
  )
  await Promise.race([enough.promise, ...writes])
  await platform.kill()
  await Promise.all(writes)
  assert.ok(answers >= answersMin)
}

/** Two platforms that started on the database of one that was killed during writes. */
const openAfterKill = shareOnEachEngine(async (scope) => {
  const deployment = await openDeployment(scope)
  const credentials = await deployment.addClient()
  const ledger: Ledger = { answered: new Map(), keys: new Map() }
  await killDuringWrites(await startPlatform(deployment, credentials), ledger, 40)
  const both = await Promise.all([
    startPlatform(deployment, credentials),
    startPlatform(deployment, credentials),
  ])
  return { deployment, ledger, both }
})

describe('kill -9 of a platform during continuous writes', () => {
  it('loses no acknowledged write, and a retry creates no duplicate', async () => {
    const {
      ledger,
      both: [after],
    } = await openAfterKill()

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
      const again = await after.create(writtenProduct(name), { 'idempotency-key': key })
      assert.equal(again.status, 201, again.text)
    }
    const { body } = await after.get(`${productsPath}?brand=${writtenBrand}&page-size=1`)
    assert.equal(body.meta.totalRecords, ledger.keys.size)
  })
})

describe('two platforms on one database', () => {
  it('share one catalogue', async (t) => {
    const { deployment, both } = await openAfterKill()
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
