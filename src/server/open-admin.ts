import type { AdminMount } from '../http/admin-app.ts'
import type { ConsentStore } from '../platform/consent/store.ts'
import { openLoggedKeys } from './open-keys.ts'
import type { Usage } from './open-usage.ts'
import type { Settings } from './settings/settings.ts'
import type { Telemetry } from './telemetry.ts'

/** Opens what the register calls, if its keys are set. */
export async function openAdminMount(
  settings: Partial<Settings>,
  { log }: Pick<Telemetry, 'log'>,
  { authorisations, artifacts, flows }: ConsentStore,
  { store, callCounts, calendar, updateAvailability }: Usage,
  clock: () => Temporal.Instant,
): Promise<(AdminMount & { close(): void }) | undefined> {
  const { registerKeys, issuer, adminUrl = issuer } = settings
  if (registerKeys === undefined || adminUrl === undefined) return undefined
  const { openAdmin } = await import('../platform/admin/admin.ts')
  const { openRegisterAccess } = await import('../platform/admin/register-access.ts')
  const keys = await openLoggedKeys(registerKeys, log, undefined)
  return {
    admin: openAdmin({
      ...{ usage: store, callCounts, calendar, updateAvailability, authorisations, flows, clock },
      onMetadataUpdate: () => log.info('metadata update requested by the register'),
    }),
    authenticate: openRegisterAccess({ audience: adminUrl, keys, artifacts, clock }),
    requiresCertificate: settings.tlsClientCa !== undefined,
    close: () => keys.close(),
  }
}
