import type { Worker } from 'node:cluster'
import { setTimeout as wait } from 'node:timers/promises'

/** The messages with which Node passes a connection to a worker, and the worker confirms it. */
interface ClusterMessage {
  readonly cmd?: string
  readonly act?: string
  readonly seq?: number
  readonly ack?: number
}

interface Connection {
  close(): void
}

type Send = (message: ClusterMessage, connection?: Connection, ...rest: unknown[]) => boolean

/** The message of a worker that could not receive a connection, because it has no free file descriptor. */
const notReceived = 'NODE_HANDLE_NACK'

/** How often the channel of an ended worker is checked for unread messages. */
const checkMs = 10

/**
 * Node's cluster module passes one connection at a time to each worker, and keeps it until the worker confirms it. If the worker
 * dies before, Node loses the connection: the client waits forever, the descriptor leaks, and the dead worker remains in the list
 * of workers that share the port. This passes the connection to another worker, or closes it if none is listening. If the worker
 * could not receive the connection, Node passes no further ones to it: this closes the connection.
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
        else if (seq !== undefined) confirm(worker, seq, false)
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

/** Does what the worker's confirmation does: an accepted connection is closed in this process, and another one passed on. */
function confirm({ process: channel }: Worker, ack: number, accepted: boolean): void {
  channel.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted })
}

/** Returns the connection that was passed to the worker and that it has not confirmed. */
function trackUnconfirmed(worker: Worker) {
  const { process: channel } = worker
  const send = channel.send.bind(channel) as Send
  let unconfirmed: { readonly seq: number; readonly connection: Connection } | undefined

  channel.send = ((message, connection, ...rest) => {
    const { act, seq } = message
    if (act === 'newconn' && seq !== undefined && connection) unconfirmed = { seq, connection }
    return send(message, connection, ...rest)
  }) as Send as typeof channel.send
  channel.on('internalMessage', ({ cmd, ack }: ClusterMessage) => {
    if (cmd === notReceived && unconfirmed) confirm(worker, unconfirmed.seq, true)
    if (ack !== undefined && ack === unconfirmed?.seq) unconfirmed = undefined
  })
  return () => unconfirmed
}
