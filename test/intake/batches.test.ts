import assert from 'node:assert/strict'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openProviderStore } from '../../src/storage/open.ts'
import { put, removal } from '../load/lines.ts'
import { describe } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import { batchPath, openIntake, sharedIntake, toBody } from '../support/intake.ts'
import { dumpDatabase } from '../support/load.ts'

const shared = sharedIntake()
const counts = { created: 0, changed: 0, unchanged: 0, deleted: 0 }
const base = (id: string) => [put.customer(`c${id}`), put.account(`a${id}`, [`c${id}`])]

function assertAnswer({ status, body, text }: Answer, expected: number, content: object): void {
  assert.equal(status, expected, text)
  assert.deepEqual(body, content)
}

describe('a batch', () => {
  it('is committed with the counts of what its lines did', async () => {
    const { put: send } = await shared()
    const first = await send('result', 1, [...base('s'), put.balance('as')])
    const second = await send('result', 2, [
      put.balance('as'),
      put.balance('as', { currentBalance: '1.00' }),
      put.transaction('as', 't1'),
      removal('banking.balance', { accountId: 'as' }),
      '',
    ])

    const feed = 'result'
    assertAnswer(first, 200, { feed, batch: 1, lines: 3, ...counts, created: 3 })
    const done = { created: 1, changed: 1, unchanged: 1, deleted: 1 }
    assertAnswer(second, 200, { feed, batch: 2, lines: 4, ...done })
  })

  it('is visible to every reader when it is answered', async () => {
    const { database, put: send } = await shared()
    const store = await openProviderStore(database)
    try {
      assert.deepEqual(await store.readCustomer('cv'), { missing: 'customer' })
      await send('visible', 1, base('v'))

      assert.match(String(await store.readCustomer('cv')), /"id":"cv"/)
    } finally {
      await store.close()
    }
  })

  it('gets the stored answer when it is sent again, also compressed', async () => {
    const { put: send } = await shared()
    const lines = base('again')
    const first = await send('again', 1, lines)
    const repeated = await send('again', 1, lines)
    const compressed = await send('again', 1, gzipSync(toBody(lines)), {
      'content-encoding': 'gzip',
    })

    assert.equal(first.status, 200, first.text)
    assert.deepEqual([repeated.status, repeated.text], [200, first.text])
    assert.deepEqual([compressed.status, compressed.text], [200, first.text])
  })

  it('is a conflict if its number was committed with other lines', async () => {
    const { put: send } = await shared()
    await send('different', 1, base('d'))

    assertAnswer(await send('different', 1, [put.customer('cx')]), 409, {
      error: 'the batch was committed with other lines: the next batch of this feed is 2',
      expected: 2,
    })
  })

  it('is a conflict if an earlier batch is missing, even if its lines are invalid', async () => {
    const { put: send } = await shared()
    const conflict = (expected: number) => ({
      error: `an earlier batch is missing: the next batch of this feed is ${expected}`,
      expected,
    })

    assertAnswer(await send('gap', 2, ['{}']), 409, conflict(1))
    await send('gap', 1, base('g'))
    assertAnswer(await send('gap', 2 ** 53 - 1, base('g')), 409, conflict(2))
  })

  it('changes nothing if lines are invalid, and its number stays free', async (t) => {
    const { database, put: send } = await openIntake(t)
    const before = await dumpDatabase(database)
    const lines = [
      put.customer('c1'),
      put.customer('c2', { email: 'no address' }),
      '',
      'no JSON',
      JSON.stringify({ type: 'nothing' }),
    ]

    const { status, body } = await send('invalid', 1, lines)
    assert.equal(status, 422)
    assert.equal(body.error, '3 errors: nothing was changed')
    assert.deepEqual(body.errors.slice(0, 2), [
      { line: 2, field: 'email', reason: 'must be an e-mail address' },
      { line: 4, field: '', reason: 'must be a JSON object' },
    ])
    assert.deepEqual([body.errors[2].line, body.errors[2].field], [5, 'type'])
    assert.equal(await dumpDatabase(database), before)
    assert.equal((await send('invalid', 1, [put.customer('c1')])).status, 200)
  })

  it('is rejected if a line refers to something that does not exist at its end', async () => {
    const { put: send } = await shared()
    const lines = [put.transaction('ao', 't1'), ...base('o'), put.transaction('ao', 't2')]

    assertAnswer(await send('order', 1, lines.slice(0, 1)), 422, {
      error: '1 error: nothing was changed',
      errors: [{ line: 1, field: 'accountId', reason: 'banking account not found' }],
    })
    assert.equal((await send('order', 1, lines)).status, 200)
  })

  it('is rejected if a line has a field that only the restore of a dump sets', async () => {
    const { put: send } = await shared()
    const line = put.transaction('unknown', 't1').replace('{', '{"unresolved":true,')

    assertAnswer(await send('restore', 1, [line]), 422, {
      error: '1 error: nothing was changed',
      errors: [{ line: 1, field: 'unresolved', reason: 'is only for the restore of a dump' }],
    })
  })

  it('may be empty', async () => {
    const { put: send } = await shared()

    assertAnswer(await send('empty', 1, ''), 200, { feed: 'empty', batch: 1, lines: 0, ...counts })
  })

  it('lists at most 1000 errors, and says how many there are', async () => {
    const { put: send } = await shared()
    const { status, body } = await send('many', 1, Array(1200).fill('x'))

    assert.equal(status, 422)
    assert.equal(body.error, '1200 errors, of which the first 1000 are listed: nothing was changed')
    assert.equal(body.errors.length, 1000)
  })
})

describe('a feed', () => {
  it('has its last batch, its time and the number of all its lines', async (t) => {
    const { get, put: send } = await openIntake(t)
    const before = Date.now()
    await send('b', 1, base('1'))
    await send('a.A_-9', 1, [put.customer('c2')])
    await send('b', 2, [put.customer('c3')])
    await send('b', 3, ['{}'])

    const { status, body } = await get('/v1/feeds')
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['data'])
    const [a, b] = body.data
    assert.equal(body.data.length, 2)
    assert.deepEqual({ ...a, time: '' }, { feed: 'a.A_-9', batch: 1, time: '', lines: 1 })
    assert.deepEqual({ ...b, time: '' }, { feed: 'b', batch: 2, time: '', lines: 3 })
    assert.match(b.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.ok(Date.parse(b.time) >= before && Date.parse(b.time) <= Date.now())
    assertAnswer(await get('/v1/feeds/b'), 200, b)
  })

  it('says how soon its next batch usually follows, and whether it is late', async (t) => {
    let time = Temporal.Instant.from('2026-07-01T00:00:00Z')
    const { put: send, get } = await openIntake(t, { clock: () => time })
    const sendAfter = async (seconds: number, batch: number) => {
      time = time.add({ seconds })
      assert.equal((await send('timed', batch, [])).status, 200)
    }
    const read = async () => {
      const { usualSeconds, isLate } = (await get('/v1/feeds/timed')).body
      return [usualSeconds, isLate]
    }
    for (const batch of [1, 2, 3, 4]) await sendAfter(30, batch)
    assert.deepEqual(await read(), [undefined, undefined])

    await sendAfter(30, 5)
    assert.deepEqual(await read(), [30, false])
    time = time.add({ minutes: 6 })
    assert.deepEqual(await read(), [30, false])
    time = time.add({ seconds: 1 })
    assert.deepEqual(await read(), [30, true])

    // A long pause counts as 124 seconds, and an eighth of the difference.
    await sendAfter(3600, 6)
    assert.deepEqual(await read(), [41.75, false])
    assert.deepEqual((await get('/v1/feeds')).body.data[0].usualSeconds, 41.75)
  })

  it('does not exist before its first batch', async () => {
    const { get, put: send } = await shared()
    await send('nope', 1, ['{}'])

    assertAnswer(await get('/v1/feeds/nope'), 404, { error: 'Feed not found' })
  })

  it('has a name and numbers of one form', async () => {
    const { get, put: send } = await shared()
    const name =
      'feed must be 1 to 64 letters, digits, dots, hyphens and underscores, the first a letter or a digit'
    for (const feed of ['.a', 'a%20b', 'a%2Fb', '%C3%BC', 'x'.repeat(65), '-']) {
      assertAnswer(await send(feed, 1, []), 400, { error: name })
      assertAnswer(await get(`/v1/feeds/${feed}`), 400, { error: name })
    }
    const number = 'number must be a whole number from 1 to 2^53 - 1'
    for (const text of ['0', '-1', '1.0', '1e1', 'x', '9007199254740992', '%20']) {
      assertAnswer(await send('a', text, []), 400, { error: number })
    }
    assertAnswer(await send('a', '01', []), 400, { error: 'number must have no leading zeros' })
  })

  it('requires a token with the scope data.write', async () => {
    const { issueToken, send } = await shared()
    const products = await issueToken(['products.write', 'products.read'])
    for (const [method, path] of [
      ['PUT', batchPath('a', 1)],
      ['GET', '/v1/feeds'],
      ['GET', '/v1/feeds/a'],
    ] as const) {
      const request = (headers = {}) => send(path, { method, headers })

      assertAnswer(await request(), 401, { error: 'Unauthorized' })
      const headers = { authorization: `Bearer ${products}` }
      assertAnswer(await request(headers), 403, { error: 'Insufficient scope' })
    }
  })

  it('has no other methods', async () => {
    const { send } = await shared()
    const { status, headers } = await send(batchPath('a', 1), { method: 'DELETE' })

    assert.deepEqual([status, headers['allow']], [405, 'PUT'])
  })
})
