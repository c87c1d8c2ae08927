import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { openBackOffice } from './back-office.ts'

const fixtureOnEachEngine = shareOnEachEngine(openBackOffice)

describe('the list of consents for the back office', () => {
  it('has every consent, in the order of changes', async () => {
    const { list } = await fixtureOnEachEngine()

    const { status, body } = await list()

    assert.equal(status, 200)
    assert.deepEqual(
      body.data.map(({ consentId, status }: Record<string, string>) => [consentId, status]),
      [
        ['r3', 'active'],
        ['r1', 'withdrawn'],
        ['r2', 'expired'],
      ],
    )
    assert.deepEqual(body.data[1], {
      consentId: 'r1',
      status: 'withdrawn',
      customerId: 'c1',
      thirdParty: { id: 'tp', name: 'Budget\u202e' },
      accountIds: ['a1', 'a2'],
      scopes: ['bank:accounts.basic:read'],
      from: '2026-07-01T00:00:00Z',
      until: body.data[1].until,
      updated: '2026-07-01T00:00:03Z',
      messages: [
        {
          kind: 'revocation',
          state: 'waiting',
          created: '2026-07-01T00:00:03Z',
          attempts: 0,
          nextAttempt: '2026-07-01T00:00:03Z',
        },
      ],
    })
    assert.deepEqual(body.data[0].messages, [])
    assert.deepEqual(body.data[0].thirdParty, { id: 'gone' })
    assert.ok(!('next' in body))
  })

  it('is read page by page, and from a time on', async () => {
    const { list } = await fixtureOnEachEngine()
    const ids: string[] = []

    for (let query = '?page-size=1'; ; ) {
      const { body } = await list(query)
      ids.push(...body.data.map(({ consentId }: Record<string, string>) => consentId))
      if (body.next === undefined) break
      query = `?page-size=1&cursor=${body.next}`
    }

    assert.deepEqual(ids, ['r3', 'r1', 'r2'])
    const { body } = await list('?updated-after=2026-07-01T00:00:02Z')
    assert.equal(body.data.length, 2)
    assert.equal((await list('?updated-after=2026-07-01T00:00:01.999Z')).body.data.length, 3)
  })

  it('is filtered by status, third party and customer, in both orders', async () => {
    const { list } = await fixtureOnEachEngine()
    const readIds = async (filter: string) => {
      const ids: string[] = []
      for (let cursor = ''; ; ) {
        const { body } = await list(`?page-size=1&${filter}${cursor}`)
        ids.push(...body.data.map(({ consentId }: Record<string, string>) => consentId))
        if (body.next === undefined) return ids.join(' ')
        cursor = `&cursor=${body.next}`
      }
    }

    for (const [filter, oldest, newest] of [
      ['', 'r3 r1 r2', 'r2 r1 r3'],
      ['status=active', 'r3', 'r3'],
      ['third-party=tp', 'r1 r2', 'r2 r1'],
      ['third-party=tp&status=expired', 'r2', 'r2'],
      ['customer=c1', 'r1 r2', 'r2 r1'],
      ['customer=c1&third-party=tp&status=withdrawn', 'r1', 'r1'],
      ['customer=c2&third-party=tp', '', ''],
      ['updated-after=2026-07-01T00:00:02Z', 'r1 r2', 'r2 r1'],
    ] as const) {
      assert.equal(await readIds(filter), oldest, filter)
      assert.equal(await readIds(`${filter}&order=newest`), newest, filter)
    }
  })

  it('requires the scope consent.read', async () => {
    const { platform, issueToken } = await fixtureOnEachEngine()
    const authorization = `Bearer ${await issueToken('products.write')}`

    const answers = [
      await send(platform.port, '/v1/consents'),
      await send(platform.port, '/v1/consents', { headers: { authorization } }),
    ]

    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers['www-authenticate']]),
      [
        [401, 'Bearer'],
        [403, 'Bearer error="insufficient_scope", scope="consent.read"'],
      ],
    )
  })

  it('rejects an invalid parameter by name', async () => {
    const { list } = await fixtureOnEachEngine()

    for (const [query, pattern] of [
      ['?status=ended', /^status must be/],
      ['?order=up', /^order must be/],
      [`?customer=${'x'.repeat(2000)}`, /^customer must be/],
      ['?updated-after=today', /^updated-after must be an RFC 3339 date-time/],
      ['?page-size=1001', /^page-size must be/],
      ['?cursor=x', /^cursor must be the next of a previous page$/],
      [`?cursor=${Buffer.from('99999999999999999 x').toString('base64url')}`, /^cursor must be/],
      [`?cursor=${Buffer.from('1 a\0').toString('base64url')}`, /^cursor must be/],
      [`?cursor=${'x'.repeat(513)}`, /^cursor must be/],
    ] as const) {
      const { status, body } = await list(query)

      assert.equal(status, 400, query)
      assert.match(body.error, pattern)
    }
  })
})

describe('a consent for the back office', () => {
  it('has its changes with their time and reason', async () => {
    const { call, list } = await fixtureOnEachEngine()

    const { status, body } = await call('/r1')

    assert.equal(status, 200)
    const { changes, accounts, accountChanges, amendments, disclosures, ...consent } = body
    assert.deepEqual(consent, (await list('?status=withdrawn')).body.data[0])
    assert.deepEqual([accounts.length, accountChanges, amendments, disclosures], [2, [], [], []])
    assert.deepEqual(changes, [
      { time: '2026-07-01T00:00:00Z', status: 'active', reason: 'customer' },
      { time: '2026-07-01T00:00:03Z', status: 'withdrawn', reason: 'customer' },
    ])
    const unknown = await call('/r9')
    assert.deepEqual([unknown.status, unknown.body], [404, { error: 'Consent not found' }])
  })

  it('is withdrawn with its tokens, once', async (t) => {
    const { call, platform } = await openBackOffice(t)
    const { artifacts, arrangements } = platform.store
    const time = Temporal.Now.instant()
    const token = { payload: '{}', grantId: 'r3', expires: time.add({ hours: 1 }) }
    await artifacts.put('AccessToken', 'k', token, time)

    const answers = [await call('/r3/withdraw', 'POST'), await call('/r3/withdraw', 'POST')]

    assert.deepEqual(
      answers.map(({ status, text }) => [status, text]),
      [
        [204, ''],
        [204, ''],
      ],
    )
    const changes = await arrangements.listChanges('r3')
    assert.deepEqual(
      changes.map(({ status, reason }) => [status, reason]),
      [
        ['active', 'customer'],
        ['withdrawn', 'operator'],
      ],
    )
    assert.equal(await artifacts.find('AccessToken', 'k', time), undefined)
    assert.equal((await call('/r2/withdraw', 'POST')).status, 204)
    assert.equal((await call('/r2')).body.status, 'expired')
    assert.equal((await call('/r9/withdraw', 'POST')).status, 404)
  })

  it('is withdrawn with the scope consent.write only', async () => {
    const { platform, issueToken, call } = await fixtureOnEachEngine()
    const authorization = `Bearer ${await issueToken('consent.read')}`

    const path = '/v1/consents/r3/withdraw'
    const rejected = await send(platform.port, path, { method: 'POST', headers: { authorization } })

    assert.equal(rejected.status, 403)
    assert.equal((await call('/r3')).body.status, 'active')
    const allowed = await send(platform.port, '/v1/consents/r3', { headers: { authorization } })
    assert.equal(allowed.status, 200)
  })
})

describe('holdfast consent', () => {
  it('lists consents with their status and end, by customer, third party and status', async () => {
    const { run } = await fixtureOnEachEngine()

    const all = await run('list')
    const active = await run('list', '--status', 'active')
    const ofCustomer = await run('list', '--customer', 'c2', '--json')
    const ofThirdParty = await run('list', '--third-party', 'tp')

    assert.match(
      all.stdout,
      /^r3 {2}active {5}until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}c2 {2}\(removed\)\n/,
    )
    assert.match(
      all.stdout,
      /^r2 {2}expired {4}until 2026-07-01T00:01:00Z {2}c1 {2}Budget\\u202e\n/m,
    )
    assert.equal(active.stdout.split('\n').length, 2)
    assert.equal(JSON.parse(ofCustomer.stdout).id, 'r3')
    assert.match(ofThirdParty.stdout, /^r1 .*\nr2 .*\n$/)
  })

  it('shows a consent with its accounts and its changes', async () => {
    const { run } = await fixtureOnEachEngine()

    const { stdout } = await run('show', 'r1')
    const { stdout: json } = await run('show', 'r1', '--json')

    assert.match(
      stdout,
      /^consent {6}r1\nstatus {7}withdrawn\nthird party {2}tp {2}Budget\\u202e\n/,
    )
    const available = 'available since 2026-07-01T00:00:00Z \\(chosen\\)'
    assert.match(stdout, new RegExp(`^accounts {5}a1  ${available}\n {13}a2  ${available}\n`, 'm'))
    assert.match(
      stdout,
      /changes {6}2026-07-01T00:00:00Z {2}active \(customer\)\n {13}2026-07-01T00:00:03Z {2}withdrawn \(customer\)\nmessages {5}2026-07-01T00:00:03Z {2}revocation waiting, next attempt 2026-07-01T00:00:03Z, attempts: 0\n$/,
    )
    assert.equal(JSON.parse(json).changes.length, 2)
  })

  it('withdraws an active consent once', async (t) => {
    const { run, platform } = await openBackOffice(t)

    const first = await run('withdraw', 'r3')
    const second = await run('withdraw', 'r3')

    assert.deepEqual([first.status, first.stdout], [0, ''])
    assert.deepEqual(
      [second.status, second.stderr],
      [1, 'the consent is not active: it is withdrawn\n'],
    )
    const changes = await platform.store.arrangements.listChanges('r3')
    assert.equal(changes.at(-1)?.reason, 'operator')
  })

  it('reports an unknown id', async () => {
    const { run } = await fixtureOnEachEngine()

    for (const command of ['show', 'withdraw']) {
      const { status, stderr } = await run(command, 'r9')

      assert.deepEqual(
        [status, stderr],
        [1, 'no consent with this ID: run holdfast consent list\n'],
      )
    }
  })
})
