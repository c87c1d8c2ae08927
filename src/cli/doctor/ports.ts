import { once } from 'node:events'
import { createServer } from 'node:net'
import { readDescriptorLimit } from '../../http/descriptors.ts'
import { countNeededDescriptors } from '../../server/descriptor-limit.ts'
import { flagName, type SettingName } from '../../server/settings/settings.ts'
import { systemReason } from '../../storage/system-reason.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import type { DoctorSettings } from './options.ts'

export async function examinePorts({
  host,
  port,
  metricsHost,
  metricsPort,
}: DoctorSettings): Promise<readonly Finding[]> {
  // One after the other: the settings may name the same port twice.
  const server = await examinePort('port', host, port)
  if (port !== undefined && port !== 0 && port === metricsPort && isSameHost(host, metricsHost)) {
    const text = `${port} is the port of the server and of its metrics`
    const advice = `Choose another port with ${flagName('metricsPort')}.`
    return [...server, problem('ports', text, advice)]
  }
  return [...server, ...(await examinePort('metricsPort', metricsHost, metricsPort))]
}

const allAddresses: readonly (string | undefined)[] = ['0.0.0.0', '::']

function isSameHost(host: string | undefined, metricsHost: string | undefined): boolean {
  return (
    host === metricsHost || [host, metricsHost].some((address) => allAddresses.includes(address))
  )
}

/** Listens for a moment. */
async function examinePort(
  name: SettingName,
  host: string | undefined,
  port: number | undefined,
): Promise<readonly Finding[]> {
  if (host === undefined || port === undefined) return []
  const server = createServer()
  try {
    server.listen({ host, port })
    await once(server, 'listening')
    const closed = once(server, 'close')
    server.close()
    await closed
    return [ok('ports', `${port} on ${host} is free`)]
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      const advice = `If this is not the server itself, stop that process or choose another port with ${flagName(name)}.`
      return [warning('ports', `${port} on ${host} is already in use`, advice)]
    }
    const advice =
      code === 'EACCES'
        ? 'Choose a port above 1023, or grant CAP_NET_BIND_SERVICE.'
        : 'Correct the host.'
    return [problem('ports', `cannot listen on ${host}:${port}: ${systemReason(code)}`, advice)]
  }
}

export async function examineLimits(settings: DoctorSettings): Promise<readonly Finding[]> {
  const limit = readDescriptorLimit()
  const needed = countNeededDescriptors(settings)
  if (limit === undefined) return []
  if (limit >= needed) return [ok('limits', `${limit} open files`)]
  const text = `${limit} open files, and each process may need ${needed}`
  return [warning('limits', text, 'Raise LimitNOFILE of the unit, or run ulimit -n.')]
}
