import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { describe, describeOnce, type Scope, shareOnEachEngine } from '../support/engines.ts'
import { openPlatform } from '../support/platform.ts'
import { propertyRuns } from '../support/properties.ts'
import {
  ask,
  discoveryVersion,
  openOutagesFile,
  outagesPath,
  readOutages,
  readStatus,
  statusPath,
} from './discovery.ts'
import { assertCdsError } from './published.ts'

const upgrade = {
  outageTime: '2026-07-02T10:00:00+10:00',
  duration: 'PT2H30M',
  explanation: 'We upgrade our systems.',
}
const move = {
  outageTime: '2026-07-02T02:00:00Z',
  duration: 'P1D',
  isPartial: true,
  explanation: 'Transactions are not available.',
}
const repair = {
  outageTime: '2026-07-02T03:00:00Z',
  duration: 'P1M',
  isPartial: false,
  explanation: 'We repair a disk.',
}

async function openWith(scope: Scope, outages: readonly object[]) {
  const { file } = await openOutagesFile(scope, outages)
  return openPlatform(scope, { settings: { outagesFile: file } })
}

describe('the discovery of a platform', () => {
  it('has the status OK and no outages by default', async (t) => {
    const platform = await openPlatform(t, { now: '2026-07-01T08:09:10.987654321Z' })

    assert.deepEqual(await readStatus(platform), {
      status: 'OK',
      updateTime: '2026-07-01T08:09:10Z',
    })
    assert.deepEqual(await readOutages(platform), [])
    for (const path of [statusPath, outagesPath]) {
      const { body } = await ask(platform, path)
      assert.deepEqual(body.links, { self: `http://127.0.0.1:${platform.port}${path}` })
    }
  })

  it('has the status SCHEDULED_OUTAGE from the start of an outage until its end', async (t) => {
    const platform = await openWith(t, [upgrade])
    const statuses = []

    for (const time of [
      '2026-07-01T23:59:59.999Z',
      '2026-07-02T00:00:00Z',
      '2026-07-02T02:29:59.999Z',
      '2026-07-02T02:30:00Z',
    ]) {
      platform.setClock(time)
      statuses.push(await readStatus(platform))
    }

    const outage = {
      status: 'SCHEDULED_OUTAGE',
      explanation: upgrade.explanation,
      expectedResolutionTime: '2026-07-02T02:30:00Z',
    }
    assert.deepEqual(statuses, [
      { status: 'OK', updateTime: '2026-07-01T23:59:59Z' },
      { ...outage, updateTime: '2026-07-02T00:00:00Z' },
      { ...outage, updateTime: '2026-07-02T02:29:59Z' },
      { status: 'OK', updateTime: '2026-07-02T02:30:00Z' },
    ])
  })

  for (const [time, explanation, end] of [
    ['2026-07-02T01:00:00Z', upgrade.explanation, '2026-07-02T02:30:00Z'],
    ['2026-07-02T02:15:00Z', upgrade.explanation, '2026-07-03T02:00:00Z'],
    ['2026-07-02T02:45:00Z', move.explanation, '2026-07-03T02:00:00Z'],
    ['2026-07-02T12:00:00Z', repair.explanation, '2026-08-02T03:00:00Z'],
  ] as const) {
    it(`explains the outage that affects most at ${time}, until the last one ends`, async (t) => {
      const platform = await openWith(t, [repair, move, upgrade])

      platform.setClock(time)
      const status = await readStatus(platform)

      assert.equal(status.status, 'SCHEDULED_OUTAGE')
      assert.equal(status.explanation, explanation)
      assert.equal(status.expectedResolutionTime, end)
    })
  }

  it('lists outages as they were announced, by start, until they end', async (t) => {
    const platform = await openWith(t, [repair, move, upgrade])

    for (const [time, expected] of [
      ['2026-07-01T00:00:00Z', [upgrade, move, repair]],
      ['2026-07-02T02:29:59Z', [upgrade, move, repair]],
      ['2026-07-02T02:30:00Z', [move, repair]],
      ['2026-07-03T02:00:00Z', [repair]],
      ['2026-08-02T03:00:00Z', []],
    ] as const) {
      platform.setClock(time)
      assert.deepEqual(await readOutages(platform), expected)
    }
  })
})

describeOnce('a request for the discovery of a platform', () => {
  const open = shareOnEachEngine((scope) => openWith(scope, [upgrade]))

  for (const path of [statusPath, outagesPath]) {
    for (const [headers, status, code] of [
      [{ 'x-v': '1', 'x-min-v': '1' }, 200],
      [{ 'x-v': '9', 'x-min-v': '1' }, 200],
      [{ 'x-v': '1', 'x-min-v': '9' }, 200],
      [{ 'x-v': '2' }, 406, 'Header/UnsupportedVersion'],
      [{ 'x-v': '9', 'x-min-v': '2' }, 406, 'Header/UnsupportedVersion'],
      [{}, 400, 'Header/Missing'],
      [{ 'x-v': '0' }, 400, 'Header/InvalidVersion'],
      [{ 'x-v': '1', 'x-min-v': 'x' }, 400, 'Header/InvalidVersion'],
      [{ 'x-v': '1', accept: 'text/html' }, 406, 'GeneralError/Expected'],
    ] as const) {
      it(`to ${path} with ${JSON.stringify(headers)} gets ${status}`, async () => {
        const answer = await ask(await open(), path, headers)

        assert.equal(answer.headers['access-control-allow-origin'], '*')
        if (code) assertCdsError(answer, status, code)
        else assert.deepEqual([answer.status, answer.headers['x-v']], [status, '1'])
      })
    }

    it(`to ${path} may be cached, and gets its interaction id back`, async () => {
      const platform = await open()
      const id = '5f3b7c1e-6f0a-4f0e-9d5b-0c9e0f6a7b10'
      const sent = { ...discoveryVersion, 'x-fapi-interaction-id': id }

      const first = await ask(platform, path, sent)
      const { etag = '' } = first.headers
      const second = await ask(platform, path, { ...sent, 'if-none-match': etag })

      assert.equal(first.headers['cache-control'], 'public, max-age=60')
      assert.equal(first.headers['x-fapi-interaction-id'], id)
      assert.deepEqual([second.status, second.text], [304, ''])
    })

    it(`to ${path} may come from a page of any origin, and only read`, async () => {
      const platform = await open()

      const preflight = await platform.send(path, { method: 'OPTIONS' })
      const post = await platform.send(path, { method: 'POST', headers: discoveryVersion })

      assert.equal(preflight.status, 204)
      assert.equal(preflight.headers['access-control-allow-origin'], '*')
      assert.match(preflight.headers['access-control-allow-headers'] ?? '', /x-min-v, x-v/)
      assertCdsError(post, 405, 'GeneralError/Expected')
      assert.equal(post.headers['allow'], 'GET, HEAD, OPTIONS')
    })
  }

  it('never causes an error of the server', async () => {
    const platform = await open()
    const value = fc.oneof(
      fc.string({ maxLength: 40 }).map((text) => encodeURIComponent(text.toWellFormed())),
      fc.constantFrom('9'.repeat(400), '1, 1', '1e3', '0x1', '-0', '__proto__', '*', '"', 'W/"'),
    )
    const names = ['x-v', 'x-min-v', 'accept', 'if-none-match', 'x-fapi-interaction-id', 'host']
    const hostile = fc.dictionary(fc.constantFrom(...names), value, { noNullPrototype: true })

    await fc.assert(
      fc.asyncProperty(hostile, fc.boolean(), value, async (headers, hasVersion, query) => {
        for (const path of [statusPath, outagesPath]) {
          const sent = { ...headers, ...(hasVersion && discoveryVersion) }
          const answer = await platform.get(`${path}?${encodeURIComponent(query)}`, sent)
          assert.ok(answer.status < 500, answer.text)
          assert.equal(answer.status >= 400, answer.body?.errors !== undefined, answer.text)
        }
      }),
      propertyRuns(150),
    )
  })
})
