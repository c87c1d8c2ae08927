import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { makePostgres, superuser } from '../test/support/postgres.ts'

/** A PostgreSQL server with a synchronous standby, behind an address that follows the primary. */
export interface PostgresPair {
  readonly url: string
  /** Stops the standby for some time, in which commits wait for it. */
  loseStandby(forMs: number): Promise<void>
  /** Crashes the primary and promotes the standby. Only once per run. */
  failOver(): Promise<void>
  remove(): Promise<void>
}

export async function openPostgresPair(): Promise<PostgresPair> {
  const primary = await makePostgres({
    durable: true,
    settings: { synchronous_standby_names: '*' },
  })
  const standby = await makePostgres({
    durable: true,
    settings: { primary_conninfo: `host=127.0.0.1 port=${primary.port} user=${superuser}` },
    async prepare(folder) {
      execFileSync('cp', ['-a', `${primary.folder}/.`, folder])
      writeFileSync(join(folder, 'standby.signal'), '')
    },
  })
  await primary.start()
  await standby.start()
  const relay = await openRelay(primary.port)
  return {
    url: `postgres://${superuser}@127.0.0.1:${relay.port}/postgres`,
    async loseStandby(forMs) {
      await standby.stop('crash')
      await wait(forMs)
      await standby.start()
    },
    async failOver() {
      await primary.stop('crash')
      const client = new pg.Client({ connectionString: standby.url() })
      await client.connect()
      await client.query('select pg_promote()')
      await client.end()
      relay.pointTo(standby.port)
    },
    async remove() {
      relay.close()
      await primary.remove()
      await standby.remove()
    },
  }
}

/** Forwards connections to a port that can be changed, like a floating IP address. */
async function openRelay(firstTarget: number) {
  let target = firstTarget
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const closeAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    pointTo(port: number) {
      target = port
      closeAll()
    },
    close() {
      server.close()
      closeAll()
    },
  }
}
