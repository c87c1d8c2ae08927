import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { put } from '../load/lines.ts'
import { describeOnce } from '../support/engines.ts'
import { batchPath, type Intake, openIntake, sharedIntake, toBody } from '../support/intake.ts'
import { until } from '../support/until.ts'

const megabyte = 1024 * 1024
const bytesMax = 16 * megabyte
const shared = sharedIntake()

const notNdjson = { error: 'The request body must be application/x-ndjson in UTF-8' }
const unsupported = { error: 'The request body must be uncompressed or gzip' }
const gzip = { 'content-encoding': 'gzip' }

/** Blank lines. */
function makeBlank(bytes: number): Buffer {
  return Buffer.alloc(bytes, `${' '.repeat(megabyte / 4 - 1)}\n`)
}

interface RawConnection {
  readonly socket: Socket
  /** Everything that was received. */
  readonly received: () => string
}

async function connectTo({ port }: Intake): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let text = ''
  socket.on('data', (chunk: string) => (text += chunk)).on('error', () => {})
  await once(socket, 'connect')
  return { socket, received: () => text }
}

/** The head of a batch with this token. */
function makeHead(feed: string, token: string, headers: readonly string[]): string {
  return [
    `PUT ${batchPath(feed, 1)} HTTP/1.1`,
    'Host: intake.example',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/x-ndjson',
    ...headers,
    '\r\n',
  ].join('\r\n')
}

describeOnce('the body of a batch', () => {
  for (const type of [
    'application/x-ndjson',
    'Application/X-NDJSON; Charset=UTF-8',
    'application/x-ndjson;charset="utf-8"',
  ]) {
    it(`may be ${type}`, async () => {
      const { put: send } = await shared()
      const { status, text } = await send(`t${type.length}`, 1, '', { 'content-type': type })

      assert.equal(status, 200, text)
    })
  }

  for (const type of [
    'application/json',
    'text/plain',
    'application/x-ndjson; charset=utf-16',
    'application/x-ndjson; a=b',
    'application/x-ndjsons',
  ]) {
    it(`is not ${type}`, async () => {
      const { put: send } = await shared()
      const { status, body } = await send('type', 1, '{}\n', { 'content-type': type })

      assert.deepEqual([status, body], [415, notNdjson])
    })
  }

  it('needs a content type, even if it is empty', async () => {
    const { send, token } = await shared()
    for (const content of ['', 'x']) {
      const headers = ['authorization', `Bearer ${token}`]
      const { status, body } = await send(batchPath('none', 1), {
        method: 'PUT',
        headers,
        body: content,
      })

      assert.deepEqual([status, body], [415, notNdjson])
    }
  })

  it('has no other encoding than gzip', async () => {
    const { put: send } = await shared()
    for (const encoding of ['br', 'deflate', 'gzip, gzip', 'x']) {
      const { status, body } = await send('coding', 1, 'x', { 'content-encoding': encoding })

      assert.deepEqual([status, body], [415, unsupported], encoding)
    }
  })

  it('must be complete and valid gzip, after which the connection still works', async () => {
    const { put: send } = await shared()
    const whole = gzipSync(toBody([put.customer('c1')]))
    for (const body of [Buffer.from('no gzip'), whole.subarray(0, -9), Buffer.alloc(0)]) {
      const answer = await send('gzip', 1, body, gzip)

      assert.deepEqual(
        [answer.status, answer.body],
        [400, { error: 'the body must be valid gzip' }],
      )
    }
    assert.equal((await send('gzip', 1, whole, gzip)).status, 200)
  })

  it('is at most 16 MiB', async () => {
    const { put: send } = await shared()
    const fits = makeBlank(bytesMax)
    const tooLarge = { error: 'The request body is too large' }

    assert.equal((await send('fits', 1, fits)).status, 200)
    const announced = await send('size', 1, makeBlank(bytesMax + 1))
    assert.deepEqual([announced.status, announced.body], [413, tooLarge])
    const chunked = await send('size', 1, makeBlank(bytesMax + 1), {
      'transfer-encoding': 'chunked',
    })
    assert.deepEqual([chunked.status, chunked.body], [413, tooLarge])
  })

  it('is rejected if it expands to more than 16 MiB, without being expanded further', async () => {
    const { put: send } = await shared()
    const bomb = gzipSync(makeBlank(200 * megabyte), { level: 1 })
    const before = process.memoryUsage().rss
    const { status } = await send('bomb', 1, bomb, gzip)

    assert.equal(status, 413)
    assert.ok(process.memoryUsage().rss - before < 100 * megabyte)
    assert.equal(
      (await send('bomb', 1, gzipSync(makeBlank(bytesMax), { level: 1 }), gzip)).status,
      200,
    )
  })

  it('is not received before the token and the path are valid', async () => {
    const intake = await shared()
    for (const [token, feed, status] of [
      ['wrong', 'a', 401],
      [intake.token, '.a', 400],
    ] as const) {
      const { socket, received } = await connectTo(intake)
      socket.write(makeHead(feed, token, ['Content-Length: 1000000', 'Expect: 100-continue']))
      await until(() => received().includes('\r\n\r\n'))

      assert.match(received(), new RegExp(`^HTTP/1.1 ${status} `))
      socket.destroy()
    }
  })

  it('is sent after 100 Continue, if the client waits for it', async () => {
    const intake = await shared()
    const { socket, received } = await connectTo(intake)
    const body = toBody([put.customer('c-continue')])
    const headers = [`Content-Length: ${body.length}`, 'Expect: 100-continue']
    socket.write(makeHead('continue', intake.token, headers))
    await until(() => received().includes('\r\n\r\n'))

    assert.equal(received(), 'HTTP/1.1 100 Continue\r\n\r\n')
    socket.write(body)
    await until(() => received().includes('"created":1'))
    assert.match(received(), /\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
    socket.destroy()
  })

  it('is a 503 while too many bytes of other batches are in flight', async (t) => {
    const intake = await openIntake(t, { batchBytesMax: 1000 })
    const { socket } = await connectTo(intake)
    socket.write(makeHead('slow', intake.token, ['Content-Length: 1000']))
    socket.write('\n'.repeat(990))
    let answer = await intake.put('other', 1, '\n'.repeat(20))
    // The first bytes may not have been read yet.
    await until(async () => {
      if (answer.status === 200) answer = await intake.put(`o${Date.now()}`, 1, '\n'.repeat(20))
      return answer.status !== 200
    })

    assert.deepEqual([answer.status, answer.body], [503, { error: 'Service unavailable' }])
    assert.equal(answer.headers['retry-after'], '1')
    // The memory is free again when the client has disconnected.
    socket.destroy()
    await until(async () => (await intake.put('after', 1, '\n'.repeat(900))).status === 200)
  })

  it('has a time limit', async (t) => {
    const intake = await openIntake(t, {
      limits: { requestTimeoutMs: 100, headersTimeoutMs: 100, checkIntervalMs: 20 },
    })
    const { socket, received } = await connectTo(intake)
    socket.write(makeHead('slow', intake.token, ['Content-Length: 100']))
    socket.write('{')
    await until(() => socket.closed)

    assert.match(received(), /^HTTP\/1\.1 408 /)
    assert.equal((await intake.get('/v1/feeds/slow')).status, 404)
  })

  it('changes nothing if the client disconnects before its end', async (t) => {
    const intake = await openIntake(t)
    const { socket } = await connectTo(intake)
    const body = toBody([put.customer('c1')])
    socket.write(makeHead('gone', intake.token, [`Content-Length: ${body.length + 1}`]))
    socket.write(body)
    await until(() => socket.bytesWritten > body.length)
    socket.destroy()
    await until(() => intake.log.some((line) => line.includes('"operation":"F1"')))

    assert.equal((await intake.get('/v1/feeds/gone')).status, 404)
    assert.ok(!intake.log.join('').includes('"level":50'))
  })
})

describeOnce('lines', () => {
  it('that are blank do not block other requests either', async () => {
    const { get, put: send } = await shared()
    let isAnswered = false
    const batch = send('blank', 1, Buffer.alloc(megabyte, '\n')).then(({ status }) => {
      isAnswered = true
      return status
    })
    let others = 0
    while (!isAnswered) {
      await get('/health/live')
      others += 1
    }

    assert.equal(await batch, 200)
    assert.ok(others >= 5, `only ${others} requests were served meanwhile`)
  })

  it('are parsed without blocking other requests', async () => {
    const { get, put: send } = await shared()
    const lines = Array.from({ length: 4000 }, (_, at) => put.customer(`c-many-${at}`, { id: 7 }))
    let isAnswered = false
    const batch = send('parse', 1, lines).then((answer) => {
      isAnswered = true
      return answer
    })
    let others = 0
    while (!isAnswered) {
      await get('/health/live')
      others += 1
    }

    assert.equal((await batch).status, 422)
    assert.ok(others >= 5, `only ${others} requests were served meanwhile`)
  })
})
