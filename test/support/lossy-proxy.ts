import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Scope } from './engines.ts'

/**
 * A proxy in front of a database server, as the address of the database through it. It can stop to forward on its open
 * connections without closing them, as a firewall does that forgets them. New connections are forwarded.
 */
export async function openLossyProxy(scope: Scope, database: string) {
  const url = new URL(database)
  const { hostname, port } = url
  const sockets = new Set<Socket>()
  /** How many bytes to the server each open connection still forwards. */
  let open: { bytesLeft: number }[] = []
  const listener = createServer((incoming) => {
    const outgoing = connect(Number(port), hostname)
    const budget = { bytesLeft: Number.POSITIVE_INFINITY }
    open.push(budget)
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('data', (bytes) => {
        if (from === incoming) budget.bytesLeft -= bytes.length
        if (budget.bytesLeft > 0) to.write(bytes)
      })
      from.on('close', () => {
        sockets.delete(from)
        if (budget.bytesLeft > 0) to.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  scope.after(async () => {
    listener.close()
    for (const socket of sockets) socket.destroy()
  })
  await once(listener, 'listening')
  url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`
  return {
    database: url.href,
    /** Stops to forward on the open connections, after so many more bytes to the server. */
    lose(bytes = 0): void {
      for (const budget of open) budget.bytesLeft = bytes
      open = []
    },
  }
}
