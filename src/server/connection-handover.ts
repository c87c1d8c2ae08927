import type { Worker } from 'node:cluster'
import { setTimeout as wait } from 'node:timers/promises'

/** The messages with which Node passes a connection to a worker, and the worker confirms it. */
interface ClusterMessage {
  readonly act?: string
  readonly seq?: number
  readonly ack?: number
}

interface Connection {
  close(): void
}

type Send = (message: ClusterMessage, connection?: Connection, ...rest: unknown[]) => boolean

/** How often the channel of an ended worker is checked for unread messages. */
const checkMs = 10

/**
 * Node's cluster module passes one connection at a time to each worker, and keeps it until the worker confirms it. If the worker
 * dies before, Node loses the connection: the client waits forever, the descriptor leaks, and the dead worker remains in the list
 * of workers that share the port. This passes the connection to another worker, or closes it if none is listening.
 */
export function openConnectionHandover(): { watch(worker: Worker): void } {
  const listening = new Set<Worker>()
  return {
    watch(worker) {
      const channel = worker.process
      const unconfirmed = trackUnconfirmed(worker)
      let isDisconnected = false
      worker.on('listening', () => listening.add(worker))
      worker.once('disconnect', () => {
        isDisconnected = true
        listening.delete(worker)
        const { seq, connection } = unconfirmed() ?? {}
        if (listening.size === 0) connection?.close()
        else if (seq !== undefined) {
          // The message of a worker that does not accept the connection.
          channel.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false })
        }
      })
      worker.once('exit', async () => {
        listening.delete(worker)
        // Messages of the worker may still be unread in the channel.
        while (worker.isConnected()) await wait(checkMs)
        await wait(checkMs)
        // Node does not emit it if a connection was unconfirmed.
        if (!isDisconnected) channel.emit('disconnect')
      })
    },
  }
}

/** Returns the connection that was passed to the worker and that it has not confirmed. */
function trackUnconfirmed({ process: channel }: Worker) {
  const send = channel.send.bind(channel) as Send
  let unconfirmed: { readonly seq: number; readonly connection: Connection } | undefined

  channel.send = ((message, connection, ...rest) => {
    const { act, seq } = message
    if (act === 'newconn' && seq !== undefined && connection) unconfirmed = { seq, connection }
    return send(message, connection, ...rest)
  }) as Send as typeof channel.send
  channel.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined && ack === unconfirmed?.seq) unconfirmed = undefined
  })
  return () => unconfirmed
}
