import { once } from 'node:events'
import { createExampleBudget } from '../../demo/example-budget.ts'
import { makeKeyPair } from '../../demo/proofs.ts'
import { budgetId, registerBudget } from '../../demo/register.ts'
import { openSessions } from '../../demo/sessions.ts'
import { openShownPasscodes } from '../../demo/shown-passcodes.ts'
import { openPlatformWatch } from '../../demo/watch-platform.ts'
import { databaseOptions } from '../../server/database-options.ts'
import type { ConsentParts } from '../../server/open-consent.ts'
import { brandColourDefault } from '../../server/settings/consent-settings.ts'
import type { Settings } from '../../server/settings/settings.ts'
import type { Telemetry } from '../../server/telemetry.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import type { Addresses } from './addresses.ts'

const brand = { brandName: 'Demo Bank', brandColour: brandColourDefault } as const

/** The consent role of the demo's platform, and the third party that uses it. */
export interface ConsentDemo {
  /** Of the platform. */
  readonly settings: Settings
  readonly parts: ConsentParts
  readonly watch: ReturnType<typeof openPlatformWatch>['watch']
  listen(host: string, port: number, portAdvice: string): Promise<void>
  close(): Promise<void>
}

export async function openConsentDemo(
  settings: Settings,
  addresses: Addresses,
  exampleEmail: string | undefined,
  { log }: Telemetry,
  terminal: Terminal,
): Promise<ConsentDemo> {
  const { openConsentStore } = await import('../../storage/open.ts')
  const store = await openConsentStore(settings.database, databaseOptions(settings))
  await registerBudget(store, addresses.budget, Temporal.Now.instant())
  await store.close()
  const sessions = openSessions()
  const passcodes = openShownPasscodes()
  const { fetch, recordPasscode, watch } = openPlatformWatch(sessions)
  const issuer = addresses.platform
  const server = createExampleBudget({
    issuer,
    providerName: brand.brandName,
    clientId: budgetId,
    origin: addresses.budget,
    key: await makeKeyPair(),
    sessions,
    exampleEmail,
    onError: (error) => log.error({ err: error }, 'Example Budget failed'),
  })
  return {
    settings: {
      ...settings,
      ...brand,
      issuer,
      providerUrl: addresses.provider,
      resourceUrl: addresses.provider,
    },
    parts: {
      fetch,
      shownPasscode: passcodes.find,
      deliverPasscode(message) {
        passcodes.add(message)
        recordPasscode(message)
        const ending = message.phoneNumber.slice(-3)
        terminal.out(
          `Demo only: the one-time code for the phone ending ${ending} is ${message.passcode}\n`,
        )
      },
    },
    watch,
    async listen(host, port, portAdvice) {
      server.listen(port, host)
      await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error
        throw new CommandError(1, `port ${port} is already in use: ${portAdvice}`)
      })
    },
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
