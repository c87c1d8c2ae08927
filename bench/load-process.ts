import { once } from 'node:events'
import type { Socket } from 'node:net'
import { sendAtConstantRate } from './constant-rate.ts'
import type { DriveMessage, DriveResult, DriverMessage, PrepareMessage } from './load-driver.ts'
import { openSocket, readResponses } from './sockets.ts'
import { createTokenSigner } from './token-signer.ts'

/**
 * The load generator process. It writes prepared requests to plain sockets and parses only the status and length of a
 * response: the CPU time that it uses reduces that of the servers on the same machine.
 */
const prepared = new Map<string, Buffer[]>()

process.on('message', async (message: DriverMessage) => {
  try {
    if (message.type === 'prepare') {
      prepared.set(message.name, await prepare(message))
      process.send?.({ type: 'done' })
    } else if (message.type === 'forget') {
      prepared.delete(message.name)
      process.send?.({ type: 'done' })
    } else if (message.type === 'drive') {
      process.send?.({ type: 'driveResult', driveResult: await drive(message) })
    } else if (message.type === 'sendAtConstantRate') {
      const requests = selectRequests(message)
      process.send?.({ type: 'result', result: await sendAtConstantRate(requests, message) })
    }
  } catch (error) {
    process.send?.({ type: 'failed', reason: String(error) })
  }
})
process.on('disconnect', () => process.exit())

async function prepare({
  requests,
  count,
  keys,
  audience,
  subdomain,
}: PrepareMessage): Promise<Buffer[]> {
  const signToken = createTokenSigner(keys, subdomain)
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const request = requests[index % requests.length]
      if (!request) throw new Error('no requests')
      const { method, path, query, body, algorithm, headers = {} } = request
      const lines = [`${method} ${path}${query ? `?${query}` : ''} HTTP/1.1`, 'Host: bank.example']
      for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
      if (algorithm) {
        lines.push(`Authorization: Bearer ${await signToken(algorithm, audience + path)}`)
      }
      if (body !== undefined) {
        lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
      }
      return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
    }),
  )
}

async function drive({ name, from, count, port, connections }: DriveMessage): Promise<DriveResult> {
  const requests = selectRequests({ name, from, count })
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(port)))
  process.send?.({ type: 'connected' })
  // The next message is `go`.
  await once(process, 'message')

  const latencies = new Float64Array(count)
  let next = 0
  let rejected = 0
  const start = performance.now()
  try {
    await Promise.all(
      sockets.map((socket) =>
        sendSequentially(socket, () => {
          if (next >= count) return undefined
          const index = next
          next += 1
          const bytes = requests[index] ?? Buffer.alloc(0)
          const sent = performance.now()
          return {
            bytes,
            onResponse: () => {
              latencies[index] = performance.now() - sent
            },
            onRejection: () => {
              rejected += 1
              return rejected <= count * rejectedShareMax
            },
          }
        }),
      ),
    )
  } finally {
    for (const socket of sockets) socket.destroy()
  }
  const seconds = (performance.now() - start) / 1000
  latencies.sort()
  const at = (share: number) => latencies[Math.min(count - 1, Math.floor(count * share))] ?? 0
  return { seconds, p50: at(0.5), p99: at(0.99) }
}

function selectRequests({
  name,
  from,
  count,
}: Pick<DriveMessage, 'name' | 'from' | 'count'>): Buffer[] {
  const requests = prepared.get(name)?.slice(from, from + count) ?? []
  if (requests.length < count)
    throw new Error(`only ${requests.length} of ${count} requests are prepared`)
  return requests
}

interface PendingRequest {
  readonly bytes: Buffer
  readonly onResponse: () => void
  /** Called if an overloaded server rejects it, without using its token. Returns whether it is sent again. */
  readonly onRejection: () => boolean
}

/** A server rejects some requests when the host gives its CPU to other work for a moment. */
const rejectedShareMax = 0.01

/** Sends one request after another on a socket, each after the response to the previous one. */
function sendSequentially(
  socket: Socket,
  takeNext: () => PendingRequest | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let pending: PendingRequest | undefined
    let isRejected = false

    const sendNext = (): void => {
      if (isRejected) isRejected = false
      else pending = takeNext()
      if (pending) socket.write(pending.bytes)
      else resolve()
    }
    readResponses(
      socket,
      (head) => {
        isRejected = head.startsWith('HTTP/1.1 503') && pending?.onRejection() === true
        if (!isRejected && !head.startsWith('HTTP/1.1 200'))
          reject(new Error(`unexpected response: ${head.slice(0, 400)}`))
      },
      () => {
        if (!isRejected) pending?.onResponse()
        sendNext()
      },
    )
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed the connection')))
    sendNext()
  })
}
