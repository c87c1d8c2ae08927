import { connect as connectTcp, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { readForwarded } from '../../server/open-guard.ts'
import { readUpstreamTls } from '../../server/tls.ts'
import { examinePart, type Finding, ok, problem } from './finding.ts'
import type { DoctorRole, DoctorSettings } from './options.ts'
import { describeUrl } from './remote.ts'

/** Whether the service of a guard answers. */
export async function examineUpstream(
  role: DoctorRole,
  settings: DoctorSettings,
): Promise<readonly Finding[]> {
  const { upstream, upstreamOperations } = settings
  if (role !== 'guard') return []
  return examinePart('upstream', async () => {
    readForwarded(upstreamOperations)
    if (upstream === undefined) return []
    const name = describeUrl(upstream)
    const failure = await connect(new URL(upstream), settings)
    if (failure === undefined) return [ok('upstream', `accepts connections at ${name}`)]
    const advice = 'Start the service, or correct HOLDFAST_UPSTREAM.'
    return [problem('upstream', `no connection to ${name}: ${failure}`, advice)]
  })
}

/** Opens a connection without a request. Returns why it fails. */
function connect(
  { protocol, hostname, port }: URL,
  settings: DoctorSettings,
): Promise<string | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const isTls = protocol === 'https:'
  const timeout = settings.upstreamConnectTimeoutMs ?? 0
  return new Promise((resolve) => {
    const socket = isTls
      ? connectTls({
          host,
          port: Number(port || 443),
          ...(isIP(host) === 0 && { servername: host }),
          ...readUpstreamTls(settings),
        })
      : connectTcp({ host, port: Number(port || 80) })
    const end = (failure?: string): void => {
      socket.destroy()
      resolve(failure)
    }
    socket.once(isTls ? 'secureConnect' : 'connect', () => end())
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
    socket.setTimeout(timeout, () => end(`no response within ${timeout} ms`))
  })
}
