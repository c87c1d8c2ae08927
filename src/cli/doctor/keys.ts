import { openKeySet } from '../../auth/key-set.ts'
import { databaseOptions } from '../../server/database-options.ts'
import type { Settings } from '../../server/settings/settings.ts'
import { openClientStore, openSigningKeyStore } from '../../storage/open.ts'
import { examinePart, type Finding, ok, problem, warning } from './finding.ts'
import type { DoctorRole, DoctorSettings } from './options.ts'
import { describeUrl } from './remote.ts'

/** The platform's keys that a provider fetches, or the keys and the API clients that a platform and an intake store. */
export async function examineKeys(
  role: DoctorRole,
  settings: DoctorSettings,
): Promise<readonly Finding[]> {
  const { jwksUrl, database } = settings
  if (role === 'provider' || role === 'guard') {
    if (jwksUrl === undefined) return []
    return examinePart('keys', () => examineKeySet(jwksUrl))
  }
  if (database === undefined) return []
  const stored = { ...settings, database }
  const keys =
    role === 'platform' ? await examinePart('keys', () => examineSigningKeys(stored)) : []
  return [...keys, ...(await examinePart('clients', () => examineClients(role, stored)))]
}

async function examineKeySet(url: string): Promise<readonly Finding[]> {
  const outcomes: ({ readonly keys: number } | { readonly failure: string })[] = []
  const keys = openKeySet({ url, onFetch: (outcome) => outcomes.push(outcome) })
  await keys.preload()
  keys.close()
  const [outcome = { failure: 'no response' }] = outcomes
  if ('keys' in outcome) {
    return [ok('keys', `${outcome.keys} usable at ${describeUrl(url)}`)]
  }
  const advice =
    'Start the platform, or correct HOLDFAST_JWKS_URL: every request gets a 503 until then.'
  return [problem('keys', `no keys from ${describeUrl(url)}: ${outcome.failure}`, advice)]
}

type StoredSettings = DoctorSettings & Pick<Settings, 'database'>

async function examineSigningKeys(settings: StoredSettings): Promise<readonly Finding[]> {
  const all = await readStored(settings, openSigningKeyStore)
  const inUse = all?.filter(({ retired }) => retired === undefined).length
  if (inUse === undefined) return []
  if (inUse > 0) return [ok('keys', `${inUse} in use to sign tokens for the provider`)]
  return [problem('keys', 'no key to sign tokens for the provider', 'holdfast keys add')]
}

async function examineClients(
  role: DoctorRole,
  settings: StoredSettings,
): Promise<readonly Finding[]> {
  const clients = await readStored(settings, openClientStore)
  if (clients === undefined) return []
  const usable = clients.filter(
    ({ scopes }) => role === 'platform' || scopes.includes('data.write'),
  ).length
  if (usable > 0) return [ok('clients', `${usable} can request tokens`)]
  const scope = role === 'platform' ? 'products.write' : 'data.write'
  return [
    warning(
      'clients',
      `no API client can use the ${role}`,
      `holdfast client add NAME --scope ${scope}`,
    ),
  ]
}

interface Listable<Item> {
  list(): Promise<readonly Item[]>
  close(): Promise<void>
}

/** Undefined if the database cannot be opened, which is reported once. */
async function readStored<Item>(
  settings: StoredSettings,
  open: (database: string, options: ReturnType<typeof databaseOptions>) => Promise<Listable<Item>>,
): Promise<readonly Item[] | undefined> {
  const store = await open(settings.database, databaseOptions(settings)).catch(() => undefined)
  try {
    return await store?.list()
  } finally {
    await store?.close()
  }
}
