import assert from 'node:assert/strict'
import { it } from 'node:test'
import { refusalCircumstances } from '../../src/contract/index.ts'
import type { RejectionReport } from '../../src/server/observe/rejection-log.ts'
import { sampleValue, scrape } from '../observe/scrape.ts'
import { describeOnce } from '../support/engines.ts'
import { openGuardServer } from '../support/guard-server.ts'
import { accountsPath } from '../support/small-bank.ts'
import { openUpstream } from '../support/upstream.ts'

const body = '{"error":"Customer not found"}'

/** The status and the header of the upstream, and the circumstance that the guard records. */
const refusals = [
  [403, 'true', 'harm'],
  [404, 'true', 'blocked'],
  [422, 'true', 'blocked'],
  [429, 'true', 'traffic_threshold'],
  ...refusalCircumstances.flatMap((circumstance) =>
    [403, 404, 422, 429].map((status) => [status, circumstance, circumstance] as const),
  ),
] as const

describeOnce('a refusal of the upstream', () => {
  for (const [status, value, circumstance] of refusals) {
    it(`with ${status} and the header ${value} is handed on, and is counted and listed as ${circumstance}`, async (t) => {
      const upstream = await openUpstream(t, (response) =>
        response
          .writeHead(status, { 'content-type': 'application/json', 'x-sharing-refused': value })
          .end(body),
      )
      const guard = await openGuardServer(t, upstream.address, { 'metrics-port': '0' })

      const { headers, ...answer } = await guard.ask(accountsPath)

      assert.partialDeepStrictEqual(answer, { status, text: body })
      assert.equal(headers['x-sharing-refused'], 'true')
      const samples = await scrape(guard)
      for (const each of refusalCircumstances) {
        assert.equal(
          sampleValue(samples, 'holdfast_refusals_total', { circumstance: each }),
          each === circumstance ? 1 : 0,
          each,
        )
      }
      const listed = await fetch(guard.metrics.replace(/metrics$/, 'rejections?refused=true'))
      const { rejections } = (await listed.json()) as RejectionReport
      assert.deepEqual(
        rejections.map((refusal) => [refusal.operation, refusal.status, refusal.circumstance]),
        [['B1', status, circumstance]],
      )
      const [line] = guard.log().filter(({ msg }) => msg === 'request')
      assert.partialDeepStrictEqual(line, { operation: 'B1', status, circumstance })
    })
  }

  for (const status of [403, 404]) {
    it(`with ${status} and another body stays a refusal, with an error of the interface`, async (t) => {
      const upstream = await openUpstream(t, (response) =>
        response.writeHead(status, { 'x-sharing-refused': 'true' }).end('<html></html>'),
      )
      const guard = await openGuardServer(t, upstream.address)

      const answer = await guard.ask(accountsPath)

      assert.equal(answer.status, status)
      assert.equal(typeof answer.body.error, 'string')
      assert.equal(answer.headers['x-sharing-refused'], 'true')
    })
  }

  for (const [status, value] of [
    [200, 'true'],
    [400, 'true'],
    [401, 'harm'],
    [500, 'true'],
    [503, 'blocked'],
    [403, 'false'],
    [404, 'TRUE'],
    [404, 'true, true'],
    [422, 'constructor'],
  ] as const) {
    it(`is none with ${status} and the header ${value}, which is removed`, async (t) => {
      const upstream = await openUpstream(t, (response) =>
        response
          .writeHead(status, { 'content-type': 'application/json', 'x-sharing-refused': value })
          .end(body),
      )
      const guard = await openGuardServer(t, upstream.address, { 'metrics-port': '0' })

      const answer = await guard.ask(accountsPath)

      assert.deepEqual([answer.status, answer.text], [status, body])
      assert.equal(answer.headers['x-sharing-refused'], undefined)
      assert.equal(sampleValue(await scrape(guard), 'holdfast_refusals_total'), 0)
    })
  }
})
