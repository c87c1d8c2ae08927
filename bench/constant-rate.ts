import type { Socket } from 'node:net'
import { openSocket, readResponses } from './sockets.ts'

export interface ConstantRateOptions {
  readonly port: number
  /** The rate does not depend on the responses. */
  readonly perSecond: number
  readonly connections: number
  /** How many of the first requests are not counted: new connections and idle servers are slower. */
  readonly warmUp?: number
}

/** Times are in milliseconds from when a request was due. */
export interface ConstantRateResult {
  readonly seconds: number
  readonly answered: Times
  /** Responses with 503 and Retry-After. */
  readonly rejected: Times
}

export interface Times {
  readonly count: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

interface PendingRequest {
  readonly bytes: Buffer
  readonly due: number
}

const tickMs = 1

/**
 * Sends requests at a constant rate, as many independent clients do. All connections are open before the first request
 * is due.
 */
export async function sendAtConstantRate(
  requests: readonly Buffer[],
  { port, perSecond, connections, warmUp = 0 }: ConstantRateOptions,
): Promise<ConstantRateResult> {
  const answered: number[] = []
  const rejected: number[] = []
  const waiting: PendingRequest[] = []
  let received = 0
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(port)))
  const start = performance.now()
  const countedFrom = start + (warmUp / perSecond) * 1000

  await new Promise<void>((resolve, reject) => {
    const idle = sockets.map((socket) => {
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('the server closed a connection')))
      const send = openSender(socket, reject, (pending, isAnswered) => {
        if (pending.due >= countedFrom) {
          ;(isAnswered ? answered : rejected).push(performance.now() - pending.due)
        }
        received += 1
        if (received === requests.length) resolve()
        const next = waiting.shift()
        if (next) send(next)
        else idle.push(send)
      })
      return send
    })
    let sent = 0
    const timer = setInterval(() => {
      const due = Math.min(requests.length, ((performance.now() - start) / 1000) * perSecond)
      for (; sent < due; sent += 1) {
        const pending = {
          bytes: requests[sent] ?? Buffer.alloc(0),
          due: start + (sent / perSecond) * 1000,
        }
        const send = idle.pop()
        if (send) send(pending)
        else waiting.push(pending)
      }
      if (sent === requests.length) clearInterval(timer)
    }, tickMs)
  }).finally(() => {
    for (const socket of sockets) socket.removeAllListeners('close').destroy()
  })
  return {
    seconds: (performance.now() - countedFrom) / 1000,
    answered: summarize(answered),
    rejected: summarize(rejected),
  }
}

/** Returns a function that sends one request at a time on a socket. */
function openSender(
  socket: Socket,
  fail: (error: Error) => void,
  done: (pending: PendingRequest, isAnswered: boolean) => void,
): (pending: PendingRequest) => void {
  let pending: PendingRequest | undefined
  let isAnswered = false
  readResponses(
    socket,
    (head) => {
      isAnswered = head.startsWith('HTTP/1.1 200')
      const isRejected = head.startsWith('HTTP/1.1 503') && /\r\nretry-after: \d/i.test(head)
      if (!isAnswered && !isRejected) fail(new Error(`unexpected response: ${head.slice(0, 400)}`))
    },
    () => {
      if (pending) done(pending, isAnswered)
    },
  )
  return (next) => {
    pending = next
    socket.write(next.bytes)
  }
}

function summarize(all: readonly number[]): Times {
  const sorted = all.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
  return { count: all.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
