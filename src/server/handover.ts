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

/** How often it is checked whether the channel of a worker that has ended was read to its end. */
const checkMs = 10

/**
 * Node's cluster module passes one connection at a time to each worker, and keeps it until the worker confirms it. If the worker dies
 * before, Node forgets it: the client waits for ever, the descriptor leaks, and the dead worker is never taken off the list of those that
 * share the port. Here another worker gets the connection, or it is closed where there is none.
 */
export function openHandover(): { watch(worker: Worker): void } {
  const listening = new Set<Worker>()
  return {
    watch(worker) {
      const channel = worker.process
      const pending = watchPending(worker)
      let isDisconnected = false
      worker.on('listening', () => listening.add(worker))
      worker.once('disconnect', () => {
        isDisconnected = true
        listening.delete(worker)
        const { seq, connection } = pending() ?? {}
        if (listening.size === 0) connection?.close()
        else if (seq !== undefined) {
          // As a worker answers that does not take it.
          channel.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false })
        }
      })
      worker.once('exit', async () => {
        listening.delete(worker)
        // Before the channel is read to its end, the worker's own messages may still come.
        while (worker.isConnected()) await wait(checkMs)
        await wait(checkMs)
        // Node does not emit it where a connection was on the way.
        if (!isDisconnected) channel.emit('disconnect')
      })
    },
  }
}

/** The connection that a worker was passed and has not confirmed. */
function watchPending({ process: channel }: Worker) {
  const send = channel.send.bind(channel) as Send
  let pending: { readonly seq: number; readonly connection: Connection } | undefined

  channel.send = ((message, connection, ...rest) => {
    const { act, seq } = message
    if (act === 'newconn' && seq !== undefined && connection) pending = { seq, connection }
    return send(message, connection, ...rest)
  }) as Send as typeof channel.send
  channel.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined && ack === pending?.seq) pending = undefined
  })
  return () => pending
}
