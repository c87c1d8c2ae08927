import assert from 'node:assert/strict'
import { it } from 'node:test'
import { hashSecret, makeSecret } from '../../src/auth/secrets.ts'
import type { Scope } from '../../src/contract/index.ts'
import { clientFeedsMax } from '../../src/intake/feed-writer.ts'
import { openCatalogueStore, openClientStore } from '../../src/storage/open.ts'
import { put, removal } from '../load/lines.ts'
import { openDeployment } from '../support/deployment.ts'
import { describe } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { batchPath, type Intake, openIntake, sharedIntake, toBody } from '../support/intake.ts'
import { loadInProcess } from '../support/load.ts'
import { openPlatform, productsPath, requestToken } from '../support/platform.ts'
import { runInProcess } from '../support/process.ts'

const shared = sharedIntake()
const both: readonly Scope[] = ['data.write', 'products.write']

/** Sends as an API client of its own. */
async function openSender(intake: Pick<Intake, 'issueToken' | 'put'>, scopes: readonly Scope[]) {
  const authorization = `Bearer ${await intake.issueToken(scopes)}`
  return (feed: string, number: number, lines: readonly string[]) =>
    intake.put(feed, number, lines, { authorization })
}

async function readHistory(database: string, id: string) {
  const catalogue = await openCatalogueStore(database)
  try {
    const page = await catalogue.history(id, 1, 10)
    return page?.items
  } finally {
    await catalogue.close()
  }
}

describe('lines of products in a batch', () => {
  it('need the scope products.write, and change nothing without it', async () => {
    const intake = await shared()
    const sendData = await openSender(intake, ['data.write'])
    const sendBoth = await openSender(intake, both)
    assert.equal((await sendBoth('owned-products', 1, [put.product('p-kept')])).status, 200)

    for (const line of [
      put.product('p-new'),
      put.product('p-kept', { name: 'Other' }),
      removal('product', { product_id: 'p-kept' }),
    ]) {
      const answer = await sendData('data-only', 1, [put.customer('c-data-only'), line])
      assert.equal(answer.status, 403, answer.text)
      assert.deepEqual(answer.body, {
        error: 'line 2: products need the scope products.write: nothing was changed',
      })
      assert.equal(
        answer.headers['www-authenticate'],
        'Bearer error="insufficient_scope", scope="products.write"',
      )
    }

    assert.equal(await readHistory(intake.database, 'p-new'), undefined)
    assert.equal((await readHistory(intake.database, 'p-kept'))?.length, 1)
    assert.equal((await sendData('data-only', 1, [put.customer('c-data-only')])).status, 200)
  })

  it('cannot have an origin, which only a load sets', async () => {
    const intake = await shared()
    const sendBatch = await openSender(intake, both)
    const { record } = JSON.parse(put.product('p-origin'))
    const forged = JSON.stringify({ type: 'product', origin: 'Other Bank', record })

    const answer = await sendBatch('origin', 1, [put.product('p-origin'), forged])

    assert.equal(answer.status, 422, answer.text)
    assert.deepEqual(answer.body.errors, [
      { line: 2, field: 'origin', reason: 'is only for the restore of a dump' },
    ])
    assert.equal(await readHistory(intake.database, 'p-origin'), undefined)
    await loadInProcess(intake.database, [forged])
    assert.equal((await readHistory(intake.database, 'p-origin'))?.[0]?.origin, 'Other Bank')
  })

  it('name the API client that sent them in the history of the product', async () => {
    const intake = await shared()
    const sendBatch = await openSender(intake, both)
    const sendOther = await openSender(intake, both)
    await sendBatch('history', 1, [put.product('p-history')])
    await sendBatch('history', 2, [removal('product', { product_id: 'p-history' })])

    // Batches that share a commit, each with a version of its own.
    const answers = await Promise.all([
      sendBatch('history', 3, [put.product('p-history', { name: 'One' })]),
      sendOther('history-2', 1, [put.product('p-history', { name: 'Two' })]),
    ])

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    const history = (await readHistory(intake.database, 'p-history')) ?? []
    assert.deepEqual(
      history.map(({ change, changed_by_name }) => `${change} ${changed_by_name}`),
      ['UPDATED core', 'CREATED core', 'DELETED core', 'CREATED core'],
    )
    assert.equal(new Set(history.slice(0, 2).map(({ changed_by }) => changed_by)).size, 2)
  })
})

describe('a feed', () => {
  it('belongs to the API client that sent its first batch', async () => {
    const intake = await shared()
    const sendOwner = await openSender(intake, ['data.write'])
    const sendOther = await openSender(intake, ['data.write'])
    const lines = [put.customer('c-owned')]
    assert.equal((await sendOwner('owned', 1, lines)).status, 200)

    for (const [number, content] of [
      [2, [put.customer('c-foreign')]],
      [1, lines],
      [9, lines],
      [2, ['{}']],
    ] as const) {
      const { status, body, headers } = await sendOther('owned', number, content)
      assert.deepEqual(
        [status, body],
        [
          403,
          {
            error:
              'The feed belongs to another API client: use another feed, or run holdfast feeds assign',
          },
        ],
      )
      assert.equal(headers['www-authenticate'], undefined)
    }

    assert.equal((await sendOwner('owned', 1, lines)).status, 200)
    assert.equal((await sendOwner('owned', 2, lines)).status, 200)
    assert.equal((await sendOther('owned', 3, lines)).status, 403)
  })

  it(`is one of ${clientFeedsMax} of its API client at most`, async (t) => {
    const intake = await openIntake(t)
    const sendMany = await openSender(intake, ['data.write'])
    const sendOther = await openSender(intake, ['data.write'])
    for (let index = 0; index < clientFeedsMax; index += 1) {
      assert.equal((await sendMany(`feed-${index}`, 1, [])).status, 200)
    }

    const rejected = await sendMany('one-more', 1, [])

    assert.equal(rejected.status, 409)
    assert.deepEqual(rejected.body, {
      error:
        'the client has 100 feeds, which is the maximum: use an existing feed, or remove one with holdfast feeds remove',
      expected: 1,
    })
    assert.equal((await sendMany('feed-0', 2, [])).status, 200)
    assert.equal((await sendOther('one-more', 1, [])).status, 200)
  })

  it('belongs to one of two clients that send its first batch at the same time', async (t) => {
    const { database, issueToken, put: sendHere } = await openIntake(t)
    const other = await openIntake(t, { database })
    const senders = [
      await openSender({ issueToken, put: sendHere }, ['data.write']),
      await openSender({ issueToken, put: other.put }, ['data.write']),
    ]

    const first = await Promise.all(
      senders.map((sendBatch, at) => sendBatch('raced', 1, [put.customer(`c-${at}`)])),
    )

    const statuses = first.map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [200, 403])
    const second = await Promise.all(
      senders.map((sendBatch, at) => sendBatch('raced', 2, [put.customer(`c-${at}`)])),
    )
    assert.deepEqual(
      second.map(({ status }) => status),
      statuses,
    )
  })

  it('is shown with its owner by holdfast feeds, which gives it to another client', async (t) => {
    const { addClient, database, openIntake: startIntake } = await openDeployment(t)
    const intake = await startIntake()
    const runFeeds = (...args: readonly string[]) =>
      runInProcess(['feeds', ...args, '--database', database])
    const [first, second] = [
      await addClient('first', 'data.write'),
      await addClient('second', 'data.write'),
    ]
    const sendAs = async (client: typeof first, number: number) =>
      send(intake.port, batchPath('core', number), {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${await requestToken(intake.port, client)}`,
          'content-type': 'application/x-ndjson',
        },
        body: toBody([put.customer('c3')]),
      })
    assert.equal((await sendAs(first, 1)).status, 200)
    assert.match((await runFeeds()).stdout, new RegExp(`^core .* ${first.id}$`, 'm'))

    assert.deepEqual(await runFeeds('assign', 'core', second.id), {
      status: 0,
      stdout: '',
      stderr: '',
    })

    assert.equal(JSON.parse((await runFeeds('--json')).stdout)[0].owner, second.id)
    assert.equal((await sendAs(first, 2)).status, 403)
    assert.equal((await sendAs(second, 2)).status, 200)
    const failures = [
      await runFeeds('assign', 'core', 'unknown'),
      await runFeeds('assign', 'none', second.id),
    ]
    assert.deepEqual(
      failures.map(({ status, stderr }) => [status, stderr]),
      [
        [1, 'no API client with this id: run holdfast client list\n'],
        [1, 'no API client sends a feed with this name: run holdfast feeds\n'],
      ],
    )
  })
})

describe('a token', () => {
  it('gives only the scopes that its client has, whatever was stored with it', async (t) => {
    const platform = await openPlatform(t)
    const { database } = platform
    const clients = await openClientStore(database)
    t.after(() => clients.close())
    const now = Temporal.Now.instant()
    const secretHash = hashSecret(makeSecret())
    const client = { id: 'core', name: 'core', scopes: ['data.write'] as const, created: now }
    await clients.add(client, secretHash)
    const scopes = ['data.write', 'products.write', 'consent.write'] as const
    const expires = now.add({ hours: 1 })
    await clients.addToken('d'.repeat(64), { client, scopes, expires }, secretHash, now)

    assert.deepEqual((await clients.findToken('d'.repeat(64)))?.scopes, ['data.write'])
  })

  it('of the intake has the scopes of the intake alone', async (t) => {
    const { addClient, database, openIntake: startIntake } = await openDeployment(t)
    const intake = await startIntake()
    const platform = await openPlatform(t, { database })
    const all = await addClient('all', 'data.write', 'products.write', 'consent.read')
    const reader = await addClient('reader', 'consent.read')
    const token = await requestToken(intake.port, all)

    const read = await platform.send('/v1/consents', {
      headers: { authorization: `Bearer ${token}` },
    })
    const write = await platform.send(productsPath, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    })
    const refused = await send(intake.port, '/v1/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: reader.id, client_secret: reader.secret }),
    })

    assert.equal(read.status, 403, read.text)
    assert.equal(write.status, 400, write.text)
    assert.deepEqual(
      [refused.status, refused.body],
      [400, { error: 'the client has no scope of this server: data.write, products.write' }],
    )
  })
})
