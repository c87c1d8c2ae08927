import { connect, type Socket } from 'node:net'
import { readAnswers } from './answers.ts'

/** How requests are sent that do not wait for each other. */
export interface Pressure {
  readonly port: number
  /** How many are sent in a second, whatever becomes of those before. */
  readonly perSecond: number
  readonly connections: number
}

/** What became of them. Times are in milliseconds, from when a request was due. */
export interface Pressed {
  readonly seconds: number
  readonly answered: Times
  /** With 503 and a time to come back. */
  readonly refused: Times
}

export interface Times {
  readonly count: number
  readonly p50: number
  readonly p99: number
}

interface Turn {
  readonly bytes: Buffer
  readonly due: number
}

const tickMs = 1

/** Sends requests at a steady pace, as many callers do that know nothing of each other. */
export async function press(
  requests: readonly Buffer[],
  { port, perSecond, connections }: Pressure,
): Promise<Pressed> {
  const answered: number[] = []
  const refused: number[] = []
  const idle: ((turn: Turn) => void)[] = []
  const waiting: Turn[] = []
  const sockets: Socket[] = []
  const start = performance.now()

  await new Promise<void>((resolve, reject) => {
    const done = (turn: Turn, isAnswered: boolean): void => {
      ;(isAnswered ? answered : refused).push(performance.now() - turn.due)
      if (answered.length + refused.length === requests.length) resolve()
    }
    const open = (): void => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true })
      sockets.push(socket)
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('the server closed a connection')))
      const send = talk(socket, reject, (turn, isAnswered) => {
        done(turn, isAnswered)
        const next = waiting.shift()
        if (next) send(next)
        else idle.push(send)
      })
      socket.once('connect', () => {
        const next = waiting.shift()
        if (next) send(next)
        else idle.push(send)
      })
    }
    let sent = 0
    const timer = setInterval(() => {
      const due = Math.min(requests.length, ((performance.now() - start) / 1000) * perSecond)
      for (; sent < due; sent += 1) {
        const turn = {
          bytes: requests[sent] ?? Buffer.alloc(0),
          due: start + (sent / perSecond) * 1000,
        }
        const send = idle.pop()
        if (send) send(turn)
        else waiting.push(turn)
      }
      if (sent === requests.length) clearInterval(timer)
    }, tickMs)
    for (let opened = 0; opened < connections; opened += 1) open()
  }).finally(() => {
    for (const socket of sockets) socket.removeAllListeners('close').destroy()
  })
  return {
    seconds: (performance.now() - start) / 1000,
    answered: timesOf(answered),
    refused: timesOf(refused),
  }
}

/** Sends on a socket, one request at a time, and tells whether it was answered or refused. */
function talk(
  socket: Socket,
  fail: (error: Error) => void,
  done: (turn: Turn, isAnswered: boolean) => void,
): (turn: Turn) => void {
  let turn: Turn | undefined
  let isAnswered = false
  readAnswers(
    socket,
    (head) => {
      isAnswered = head.startsWith('HTTP/1.1 200')
      const isRefused = head.startsWith('HTTP/1.1 503') && /\r\nretry-after: \d/i.test(head)
      if (!isAnswered && !isRefused) fail(new Error(`answered with: ${head.slice(0, 400)}`))
    },
    () => {
      if (turn) done(turn, isAnswered)
    },
  )
  return (next) => {
    turn = next
    socket.write(next.bytes)
  }
}

function timesOf(all: readonly number[]): Times {
  const sorted = all.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
  return { count: all.length, p50: at(0.5), p99: at(0.99) }
}
