import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { it } from 'node:test'
import fc from 'fast-check'
import { sampleValue, scrape } from '../observe/scrape.ts'
import { openDeployment } from '../support/deployment.ts'
import { describeOnce } from '../support/engines.ts'
import { openGuardServer } from '../support/guard-server.ts'
import { accountsPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'
import { accountsPage, openRawUpstream, rawResponse } from '../support/upstream.ts'

/** The start of a response whose end is the end of the connection. */
const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n'

const whitespace = fc.string({ unit: fc.constantFrom(' ', '\t', '\r', '\n'), maxLength: 3 })

/** Strings with what a scan could confuse with the structure. */
const text = fc.string({
  unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ' ', 'é', '🦉', 'u'),
})

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.constantFrom(0, -1.5e300, true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  ),
}))

/** The bytes of a JSON object, with white space between its tokens and around it. */
const objectText = fc
  .tuple(fc.dictionary(text, value, { maxKeys: 3 }), whitespace, whitespace, whitespace)
  .map(([object, before, between, after]) => {
    const tokens = JSON.stringify(object).match(/"(\\.|[^"\\])*"|[{}[\]:,]|[^{}[\]:,"]+/g) ?? []
    return Buffer.from(before + tokens.join(between) + after)
  })

const part = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })

/** The number of bytes until the last bracket. */
function countUntilEnd(bytes: Buffer): number {
  return bytes.lastIndexOf('}') + 1
}

describeOnce('the JSON object of a response that ends with its connection', () => {
  it('is complete wherever it is split, and incomplete wherever it is cut', async (t) => {
    let send: (socket: Socket) => void = () => {}
    const upstream = await openRawUpstream(t, (socket) => send(socket.setNoDelay()))
    const guard = await openGuardServer(t, upstream.address)

    await fc.assert(
      fc.asyncProperty(objectText, part, part, async (bytes, splitAt, cutAt) => {
        const split = Math.floor(splitAt * bytes.length)
        send = (socket) => {
          socket.write(head)
          socket.write(bytes.subarray(0, split), () =>
            setImmediate(() => socket.end(bytes.subarray(split))),
          )
        }
        const complete = await guard.ask(accountsPath)
        send = (socket) => {
          socket.write(head)
          socket.end(bytes.subarray(0, Math.floor(cutAt * countUntilEnd(bytes))))
        }
        const cut = await guard.ask(accountsPath)

        assert.deepEqual([complete.status, complete.text], [200, bytes.toString()])
        assert.equal(cut.status, 502)
      }),
      { numRuns: 100 },
    )
  })

  for (const [name, body] of Object.entries({
    'an array': '[]',
    'a string': '"{}"',
    'two objects': '{}{}',
    'an object after a bracket': ']{}',
    'an object that is closed as an array': '{]',
    'an object with text after it': '{} x',
    'an object after a byte order mark': '\ufeff{}',
    'white space': ' \r\n',
    'an object that is nested too deeply': `{"a":${'['.repeat(1000)}${']'.repeat(1000)}}`,
  })) {
    it(`is not ${name}`, async (t) => {
      const upstream = await openRawUpstream(t, (socket) => socket.end(head + body))
      const guard = await openGuardServer(t, upstream.address)

      assert.equal((await guard.ask(accountsPath)).status, 502)
    })
  }

  it('is not parsed: many values need no memory, and other requests are answered meanwhile', async (t) => {
    const cut = `{"a":[${'[],'.repeat(8_000_000)}`
    const held: Socket[] = []
    const upstream = await openRawUpstream(t, (socket, number) => {
      if (number === 0) {
        socket.write(head + cut.slice(0, cut.length / 2))
        held.push(socket)
      } else socket.write(rawResponse(accountsPage))
    })
    const deployment = await openDeployment(t)
    const guard = await deployment.startGuard(
      { upstream: upstream.address, workers: '1' },
      // The values of such a body would need several times as much.
      { nodeFlags: ['--max-old-space-size=128'] },
    )
    const ask = async () => (await deployment.ask(guard, accountsPath)).status

    const asked = ask()
    await until(() => held.length === 1)
    const during = await ask()
    held[0]?.end(cut.slice(cut.length / 2))

    assert.deepEqual([during, await asked, await ask()], [200, 502, 200])
  })

  it('is counted, and not parsed for the sample of --validate report, if it is large', async (t) => {
    const body = JSON.stringify({ data: { accounts: [] }, padding: 'x'.repeat(1_000_000) })
    const upstream = await openRawUpstream(t, (socket) => socket.end(head + body))
    const guard = await openGuardServer(t, upstream.address, {
      'metrics-port': '0',
      validate: 'report',
    })

    assert.equal((await guard.ask(accountsPath)).text.length, body.length)

    const name = 'holdfast_upstream_checked_responses_total'
    const outcome = { operation: 'B1', outcome: 'too large' }
    await until(async () => sampleValue(await scrape(guard), name, outcome) === 1)
  })
})
