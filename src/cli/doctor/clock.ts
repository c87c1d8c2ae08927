import { clockToleranceSeconds } from '../../auth/verify-token.ts'
import { databaseOptions } from '../../server/database-options.ts'
import { isPostgres, openSigningKeyStore } from '../../storage/open.ts'
import { examinePart, type Finding, ok, problem, warning } from './finding.ts'
import type { DoctorRole, DoctorSettings } from './options.ts'
import { describeUrl, request } from './remote.ts'

/** Above it, the clock is not kept by a time service. */
const driftSecondsMax = 5

const advice =
  'Run a time service such as chrony or systemd-timesyncd on both machines: tokens are rejected while clocks differ.'

/** Compares the clock with those of the other servers: the `Date` of their responses, and the time of PostgreSQL. */
export async function examineClock(
  role: DoctorRole,
  settings: DoctorSettings,
): Promise<readonly Finding[]> {
  const { jwksUrl, providerUrl } = settings
  const url = role === 'platform' ? providerUrl : jwksUrl
  const other = role === 'platform' ? 'the provider' : 'the platform'
  const parts = [
    ...(url === undefined || role === 'intake' ? [] : [() => compareWithServer(other, url)]),
    () => compareWithDatabase(settings),
  ]
  return (await Promise.all(parts.map((part) => examinePart('clock', part)))).flat()
}

async function compareWithServer(name: string, url: string): Promise<readonly Finding[]> {
  const before = Date.now()
  const response = await request(url)
  // A failure is reported with the keys, or the provider is not started yet.
  if ('failure' in response) return []
  const date = Date.parse(response.headers.get('date') ?? '')
  if (Number.isNaN(date)) {
    return [warning('clock', `${describeUrl(url)} sends no Date`, 'Compare the clocks yourself.')]
  }
  // It has whole seconds, and was read between the request and the response.
  return describeDifference(name, (before + Date.now()) / 2 - (date + 500))
}

/** Processes on one file have the same clock. */
async function compareWithDatabase(settings: DoctorSettings): Promise<readonly Finding[]> {
  const { database } = settings
  if (database === undefined || !isPostgres(database)) return []
  const store = await openSigningKeyStore(database, databaseOptions(settings)).catch(
    () => undefined,
  )
  if (!store) return []
  try {
    const before = Date.now()
    const time = await store.readTime?.()
    if (!time) return []
    return describeDifference('the database', (before + Date.now()) / 2 - time.epochMilliseconds)
  } finally {
    await store.close()
  }
}

function describeDifference(name: string, ms: number): readonly Finding[] {
  const seconds = Math.round(Math.abs(ms) / 1000)
  const relation = ms > 0 ? 'ahead of' : 'behind'
  if (seconds > clockToleranceSeconds) {
    const text = `${seconds} s ${relation} that of ${name}, and ${clockToleranceSeconds} s are tolerated`
    return [problem('clock', text, advice)]
  }
  if (seconds > driftSecondsMax) {
    return [warning('clock', `${seconds} s ${relation} that of ${name}`, advice)]
  }
  return [ok('clock', `agrees with that of ${name}`)]
}
