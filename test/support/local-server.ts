import { pino } from 'pino'
import { requireRoleSettings } from '../../src/cli/common/setting-flags.ts'
import { listen } from '../../src/server/listen.ts'
import { errorForLog } from '../../src/server/observe/log.ts'
import { openGuardServer } from '../../src/server/open-guard.ts'
import { openIntake } from '../../src/server/open-intake.ts'
import { openPlatform } from '../../src/server/open-platform.ts'
import { openProvider } from '../../src/server/open-provider.ts'
import { openMetricsEndpoint, type Telemetry } from '../../src/server/telemetry.ts'
import { readTls } from '../../src/server/tls.ts'
import type { Scope } from './engines.ts'
import type { Flags, Server } from './process.ts'

const openRole = {
  provider: async (...args: Parameters<typeof openProvider>) => (await openProvider(...args)).app,
  guard: async (...args: Parameters<typeof openGuardServer>) =>
    (await openGuardServer(...args)).app,
  platform: openPlatform,
  intake: openIntake,
}

export type ServerRole = keyof typeof openRole

/** A server of a command in this process, without signals and workers. */
export interface LocalServer extends Pick<Server, 'address' | 'port' | 'metrics' | 'log'> {
  /** Everything that it logged. */
  output(): string
  close(): Promise<void>
}

/** Opens the server of `holdfast serve`, which takes a tenth of the time of a process. It is closed with the scope. */
export async function openLocalServer(
  scope: Scope,
  role: ServerRole,
  flags: Flags,
  tracing?: Telemetry['tracing'],
): Promise<LocalServer> {
  const lines: string[] = []
  const settings = readFlags(role, { port: '0', ...flags })
  const write = (line: string) => void lines.push(line)
  const serializers = { err: errorForLog }
  const telemetry: Telemetry = {
    log: pino({ level: settings.logLevel, base: { worker: 0 }, serializers }, { write }),
    metrics:
      settings.metricsPort === undefined
        ? undefined
        : (await import('../../src/server/observe/metrics.ts')).openMetrics(),
    tracing,
    close: async () => {},
    exit: async () => {},
  }
  const app = await openRole[role](settings, telemetry, readTls(settings))
  const address = await listen(app, settings.host, settings.port)
  const metrics = await openMetricsEndpoint(settings, telemetry.metrics)
  let closed: Promise<unknown> | undefined
  const close = async () => {
    closed ??= Promise.all([app.close(), metrics?.close()])
    await closed
  }
  scope.after(close)
  return {
    address,
    port: Number(new URL(address).port),
    metrics: metrics?.address ?? '',
    log: () => lines.map((line) => JSON.parse(line)),
    output: () => lines.join(''),
    close,
  }
}

/** The settings of the flags of a command. */
function readFlags(role: ServerRole, flags: Flags) {
  const variables = Object.entries(flags).map(([name, value]) => [
    `HOLDFAST_${name.toUpperCase().replaceAll('-', '_')}`,
    value,
  ])
  const fail = (text: string) => {
    throw new Error(text)
  }
  return requireRoleSettings(
    role,
    {},
    {
      out: fail,
      error: fail,
      status: fail,
      write: async (data) => fail(String(data)),
      isInteractive: false,
      isOutputTerminal: false,
      ask: async () => undefined,
      environment: Object.fromEntries(variables),
    },
  )
}
