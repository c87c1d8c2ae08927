import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import {
  createMarkedBank,
  openMarkedClient,
  sendAllOperations,
  sendInvalidRequests,
  sendMalformedRequests,
} from '../observe/marked-requests.ts'
import { type Markers, openMarkers } from '../observe/markers.ts'
import { openDeployment } from '../support/deployment.ts'
import { describeOnce, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openProvider } from '../support/provider.ts'
import { publicUrl } from '../support/tokens.ts'
import { until } from '../support/until.ts'
import { openUpstream, type Respond } from '../support/upstream.ts'

/** A guard that logs everything, with a secret header field. */
async function openMarkedGuard(scope: Scope, markers: Markers, upstream: string, mode: string) {
  const deployment = await openDeployment(scope)
  const file = join(await temporaryFolder(scope), 'header.txt')
  writeFileSync(file, `x-api-key: ${markers.text('key')}`)
  const server = await deployment.openGuard({
    upstream,
    validate: mode,
    'validate-sample': '1',
    'upstream-header-file': file,
    'resource-url': publicUrl,
    'log-level': 'trace',
    'metrics-port': '0',
  })
  return { deployment, server, ...openMarkedClient(deployment, server, markers) }
}

describeOnce('the log and the metrics of a guard', () => {
  it('contain nothing of requests and responses', async (t) => {
    const markers = openMarkers()
    const bank = createMarkedBank(markers)
    const upstream = await openProvider(t, bank.lines, { clock: () => Temporal.Now.instant() })
    const guard = await openMarkedGuard(t, markers, upstream.address, 'report')
    const { deployment, server, send, sent } = guard

    const answered = await sendAllOperations(bank, send)
    const statuses = await sendInvalidRequests(bank, deployment, markers, send)
    await sendMalformedRequests(server, markers)
    const metrics = await (await fetch(server.metrics)).text()
    const rejections = await (await fetch(new URL('/rejections', server.metrics))).text()
    await server.close()

    assert.ok(answered.includes(bank.email), 'the marked data is served')
    assert.deepEqual(new Set(statuses), new Set([200, 400, 401, 404, 405, 413, 415, 422]))
    const lines = server.log().filter(({ interactionId }) => sent.includes(String(interactionId)))
    assert.equal(lines.length, sent.length, 'one line per request')
    for (const output of [server.output(), metrics, rejections]) markers.assertNoneIn(output)
  })

  for (const mode of ['report', 'enforce']) {
    it(`contain nothing of invalid responses, with --validate ${mode}`, async (t) => {
      const markers = openMarkers()
      const m = (name: string) => markers.text(name)
      const answer = (body: string, type = 'application/json', status = 200): Respond => {
        return (response) =>
          response.writeHead(status, { 'content-type': type, [m('field')]: m('value') }).end(body)
      }
      const account = JSON.stringify({ [m('name')]: m('value'), account_id: m('id'), type: 7 })
      const answers = [
        answer(`{"data":{"accounts":[${account}]},"meta":{},"${m('unknown')}":"${m('value')}"}`),
        answer(`{"data":{"accounts":[]},"${markers.add('twicezq')}":1,"twicezq":"${m('v')}"}`),
        answer(`{"data":{"accounts":[{"accountId":{"${m('deep')}":"${m('value')}"}}]}}`),
        answer(`{"data":{"accounts":[{"accountId":"a","fees":[{"feeMethodUType":"${m('u')}"}]}]}}`),
        answer(m('text')),
        answer(`<html>${m('page')}</html>`, 'text/html'),
        answer(m('stack'), 'text/plain', 500),
        answer(JSON.stringify({ message: m('message') }), 'application/json', 404),
        answer(JSON.stringify({ error: m('error') }), 'application/json', 422),
        ((response) => response.socket?.end(`HTTP/1.1 200 ${m('r')}\r\n${m('h')}\r\n`)) as Respond,
      ]
      let next = 0
      const upstream = await openUpstream(t, (response, request) => {
        answers[next]?.(response, request)
        next += 1
      })
      const { server, send } = await openMarkedGuard(t, markers, upstream.address, mode)

      for (let count = 0; count < answers.length; count += 1) {
        await send(`/v1/banking/customer/${m('customer')}/accounts?page=${count + 1}`)
      }
      const faults = () =>
        server.log().filter(({ msg }) => msg === 'invalid response of the upstream')
      await until(() => faults().length >= 6)
      const metrics = await (await fetch(server.metrics)).text()
      const rejections = await (await fetch(new URL('/rejections', server.metrics))).text()

      assert.match(metrics, /holdfast_upstream_checked_responses_total\{.*"invalid"/)
      for (const output of [server.output(), metrics, rejections]) markers.assertNoneIn(output)
    })
  }
})
