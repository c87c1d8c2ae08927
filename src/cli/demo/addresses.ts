import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Settings } from '../../server/settings/settings.ts'
import { CommandError } from '../../server/terminal.ts'

/** The servers of the demo, in the order of their ports. */
const servers = ['provider', 'platform', 'intake', 'budget'] as const
type Server = (typeof servers)[number]

/** The port and the URL of each server. */
export type Addresses = Readonly<Record<Server, { readonly port: number; readonly url: string }>>

/** Consecutive ports, or free ones for port 0. */
export async function chooseAddresses({
  host,
  port,
}: Pick<Settings, 'host' | 'port'>): Promise<Addresses> {
  const ports =
    port === 0 ? await findFreePorts(host, servers.length) : servers.map((_, index) => port + index)
  const name = host.includes(':') ? `[${host}]` : host
  const addresses = ports.map((each) => ({ port: each, url: `http://${name}:${each}` }))
  return Object.fromEntries(
    servers.map((server, index) => [server, addresses[index]]),
  ) as unknown as Addresses
}

/** Listens for a moment on each port of the demo. Fails if another process listens there. */
export async function requireFreePorts(
  { host, port }: Pick<Settings, 'host' | 'port'>,
  advice: string,
): Promise<void> {
  if (port === 0) return
  for (const [index] of servers.entries()) {
    const server = createServer().listen(port + index, host)
    const error = await once(server, 'listening').then(
      () => undefined,
      (reason: NodeJS.ErrnoException) => reason,
    )
    if (error?.code === 'EADDRINUSE') {
      throw new CommandError(1, `port ${port + index} is already in use: ${advice}`)
    }
    // The servers report any other error when they listen.
    if (error) return
    server.close()
    await once(server, 'close')
  }
}

async function findFreePorts(host: string, count: number): Promise<number[]> {
  const open = Array.from({ length: count }, () => createServer().listen(0, host))
  await Promise.all(open.map((server) => once(server, 'listening')))
  const ports = open.map((server) => (server.address() as AddressInfo).port)
  for (const server of open) server.close()
  return ports
}
