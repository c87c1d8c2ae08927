import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Settings } from '../../server/settings/settings.ts'

/** The servers of the demo, in the order of their ports. */
const servers = ['provider', 'platform', 'intake', 'budget'] as const
type Server = (typeof servers)[number]

export type Ports = Readonly<Record<Server, number>>
export type Addresses = Readonly<Record<Server, string>>

/** Consecutive ports, or free ones for port 0. */
export async function choosePorts({ host, port }: Pick<Settings, 'host' | 'port'>): Promise<Ports> {
  const ports =
    port === 0 ? await findFreePorts(host, servers.length) : servers.map((_, index) => port + index)
  const [provider = 0, platform = 0, intake = 0, budget = 0] = ports
  return { provider, platform, intake, budget }
}

export function toAddresses(host: string, ports: Ports): Addresses {
  const name = host.includes(':') ? `[${host}]` : host
  const toUrl = (port: number) => `http://${name}:${port}`
  return {
    provider: toUrl(ports.provider),
    platform: toUrl(ports.platform),
    intake: toUrl(ports.intake),
    budget: toUrl(ports.budget),
  }
}

async function findFreePorts(host: string, count: number): Promise<number[]> {
  const open = Array.from({ length: count }, () => createServer().listen(0, host))
  await Promise.all(open.map((server) => once(server, 'listening')))
  const ports = open.map((server) => (server.address() as AddressInfo).port)
  for (const server of open) server.close()
  return ports
}
