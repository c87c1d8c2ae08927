import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { readAnswers } from './answers.ts'
import type { Drive, Driven, DriverMessage, Prepare } from './load.ts'
import { openMint } from './mint.ts'
import { press } from './press.ts'

/**
 * The process that asks. It writes whole requests that were made beforehand to bare sockets, and reads of an
 * answer only its status and its length: whatever it used itself would be missing to the servers beside it.
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
      process.send?.({ type: 'driven', driven: await drive(message) })
    } else if (message.type === 'press') {
      const requests = chosen(message)
      process.send?.({ type: 'pressed', pressed: await press(requests, message) })
    }
  } catch (error) {
    process.send?.({ type: 'failed', reason: String(error) })
  }
})
process.on('disconnect', () => process.exit())

async function prepare({ asks, count, keys, audience, subdomain }: Prepare): Promise<Buffer[]> {
  const mint = openMint(keys, subdomain)
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const ask = asks[index % asks.length]
      if (!ask) throw new Error('nothing to ask')
      const { method, path, query, body, algorithm } = ask
      const lines = [`${method} ${path}${query ? `?${query}` : ''} HTTP/1.1`, 'Host: bank.example']
      if (algorithm) {
        lines.push(`Authorization: Bearer ${await mint(algorithm, audience + path)}`)
      }
      if (body !== undefined) {
        lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)
      }
      return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
    }),
  )
}

async function drive({ name, from, count, port, connections }: Drive): Promise<Driven> {
  const requests = chosen({ name, from, count })
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))
  process.send?.({ type: 'connected' })
  // The next message is to go.
  await once(process, 'message')

  const latencies = new Float64Array(count)
  let next = 0
  const start = performance.now()
  try {
    await Promise.all(
      sockets.map((socket) =>
        talk(socket, () => {
          if (next >= count) return undefined
          const index = next
          next += 1
          const bytes = requests[index] ?? Buffer.alloc(0)
          const sent = performance.now()
          return {
            bytes,
            answered: () => {
              latencies[index] = performance.now() - sent
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

function chosen({ name, from, count }: Pick<Drive, 'name' | 'from' | 'count'>): Buffer[] {
  const requests = prepared.get(name)?.slice(from, from + count) ?? []
  if (requests.length < count) throw new Error(`only ${requests.length} requests are left`)
  return requests
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    socket.once('error', reject)
    socket.once('connect', () => resolve(socket))
  })
}

interface Turn {
  readonly bytes: Buffer
  readonly answered: () => void
}

/** One request after another on a socket, until there are none. */
function talk(socket: Socket, nextTurn: () => Turn | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let turn: Turn | undefined

    const ask = (): void => {
      turn = nextTurn()
      if (turn) socket.write(turn.bytes)
      else resolve()
    }
    readAnswers(
      socket,
      (head) => {
        if (!head.startsWith('HTTP/1.1 200'))
          reject(new Error(`answered with: ${head.slice(0, 400)}`))
      },
      () => {
        turn?.answered()
        ask()
      },
    )
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed the connection')))
    ask()
  })
}
