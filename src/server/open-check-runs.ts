import type { SigningKeyStore } from '../auth/signing-key-store.ts'
import { ContractError } from '../contract/index.ts'
import { isLoopback } from '../http/loopback.ts'
import {
  type CheckRuns,
  type CheckTarget,
  openCheckRuns,
} from '../platform/check-runs/check-runs.ts'
import { databaseOptions } from './database-options.ts'
import { type SettingName, type Settings, variableName } from './settings/settings.ts'
import type { Telemetry } from './telemetry.ts'

/** Few requests use it. */
const connections = 2

/** Opens the checks of the provider that the settings name. */
export function openPlatformChecks(
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  { log }: Pick<Telemetry, 'log'>,
  signingKeys: SigningKeyStore,
  clock: () => Temporal.Instant,
): CheckRuns {
  return openCheckRuns({
    async openStore() {
      const { openCheckRunStore } = await import('../storage/open.ts')
      return openCheckRunStore(settings.database, { ...databaseOptions(settings), connections })
    },
    signingKeys,
    clock,
    findTarget: () => findTarget(settings),
    onError: (error) => log.error({ err: error }, 'a check of the provider failed'),
  })
}

const required = ['providerUrl', 'subdomain', 'checkCustomers'] satisfies SettingName[]

function findTarget(settings: Partial<Settings>): CheckTarget {
  const missing = required.filter((name) => settings[name] === undefined).map(variableName)
  if (missing.length > 0) {
    const verb = missing.length === 1 ? 'is' : 'are'
    throw new ContractError('not_configured', `${missing.join(', ')} ${verb} not set`)
  }
  const { providerUrl = '', resourceUrl = providerUrl, subdomain = '', timeZone = 'UTC' } = settings
  const names = (settings.checkCustomers ?? '').split(',').map((name) => name.trim())
  return {
    url: providerUrl,
    resourceUrl,
    subdomain,
    timeZone,
    customers: names.filter((name) => !name.includes('@')),
    emails: names.filter((name) => name.includes('@')),
    // A provider on this machine is a demo or a sandbox. Another may have limits, and other traffic.
    ...(isLoopback(new URL(providerUrl).hostname) && { rate: 0 }),
  }
}
