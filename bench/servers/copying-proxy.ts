import { fsyncSync, openSync, writeSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'

/**
 * The least that a guard does: it copies the bytes of a request to a server when a record of it is on disk, and the bytes
 * of the response back. Requests of one event-loop iteration share a record. Arguments: the port of the server, and a file.
 */
const [port, path = ''] = process.argv.slice(2)
const file = openSync(path, 'w')
const record = Buffer.alloc(64)
let waiting: (() => void)[] = []

function afterRecord(work: () => void): void {
  waiting.push(work)
  if (waiting.length > 1) return
  setImmediate(() => {
    const group = waiting
    waiting = []
    writeSync(file, record, 0, record.length, 0)
    fsyncSync(file)
    for (const each of group) each()
  })
}

const server = createServer({ noDelay: true }, (client) => {
  const upstream = connect({ host: '127.0.0.1', port: Number(port), noDelay: true })
  client.on('data', (chunk) => afterRecord(() => upstream.write(chunk)))
  client.once('close', () => upstream.destroy())
  client.once('error', () => upstream.destroy())
  upstream.once('error', () => client.destroy())
  upstream.pipe(client)
})
server.listen(0, '127.0.0.1', () => {
  console.log(`copying proxy ready on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('SIGTERM', () => process.exit())
