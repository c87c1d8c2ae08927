import { once } from 'node:events'
import { demoThirdPartyId } from '../../contract/demo-ids.ts'
import { bankBrand, bankLogo } from '../../demo/bank-brand.ts'
import { createExampleBudget } from '../../demo/example-budget.ts'
import { makeKeyPair } from '../../demo/proofs.ts'
import { registerBudget } from '../../demo/register.ts'
import { openSessions } from '../../demo/sessions.ts'
import { openShownPasscodes } from '../../demo/shown-passcodes.ts'
import { openPlatformWatch } from '../../demo/watch-platform.ts'
import type { PasscodeMessage } from '../../platform/consent/passcodes.ts'
import { readFont } from '../../server/console-files.ts'
import type { Settings } from '../../server/settings/settings.ts'
import type { Telemetry } from '../../server/telemetry.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { useStore } from '../common/database.ts'
import type { Addresses } from './addresses.ts'

interface ProposedAddresses {
  /** The e-mail address that Example Budget proposes. */
  readonly exampleEmail: string | undefined
  /** Those that the sign-in page proposes after a mistyped one. */
  readonly addresses: readonly string[]
}

/** Opens the consent role of the demo's platform, and the third party that uses it. */
export async function openConsentDemo(
  settings: Settings,
  { provider, platform, intake, budget }: Addresses,
  { exampleEmail, addresses }: ProposedAddresses,
  { log }: Telemetry,
  terminal: Terminal,
) {
  await useStore('openConsentStore', settings, (store) =>
    registerBudget(store, budget.url, Temporal.Now.instant()),
  )
  const sessions = openSessions()
  const passcodes = openShownPasscodes(addresses)
  const { fetch, recordPasscode, watch } = openPlatformWatch(sessions)
  const issuer = platform.url
  const server = createExampleBudget({
    issuer,
    providerName: bankBrand.brandName,
    clientId: demoThirdPartyId,
    origin: budget.url,
    key: await makeKeyPair(),
    sessions,
    exampleEmail,
    font: readFont(),
    onError: (error) => log.error({ err: error }, 'Example Budget failed'),
  })
  return {
    /** Of the platform. */
    settings: {
      ...settings,
      ...bankBrand,
      issuer,
      providerUrl: provider.url,
      resourceUrl: provider.url,
      intakeUrl: intake.url,
    },
    parts: {
      isDemo: true,
      fetch,
      logo: bankLogo,
      showPasscode: passcodes.find,
      deliverPasscode(message: PasscodeMessage) {
        passcodes.add(message)
        recordPasscode(message)
        const ending = message.phoneNumber.slice(-3)
        terminal.out(
          `Demo only: the one-time code for the phone ending ${ending} is ${message.passcode}\n`,
        )
      },
    },
    watch,
    async listen(portAdvice: string): Promise<void> {
      const { port } = budget
      server.listen(port, settings.host)
      await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error
        throw new CommandError(1, `port ${port} is already in use: ${portAdvice}`)
      })
    },
    async close(): Promise<void> {
      server.close()
      server.closeAllConnections()
    },
  }
}
