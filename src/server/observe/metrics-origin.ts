import { download } from '../../auth/download.ts'
import { type MetricsSource, type MonitoredRole, rejectionsMax } from '../../contract/index.ts'
import { parseJson } from '../../contract/parse-json.ts'
import type { FailedRequest } from '../../http/request-log.ts'
import { type MetricsReader, metricsPath, nameParameter, rejectionsPath } from './metrics-reader.ts'
import type { FailureCount, RejectionReport } from './rejection-log.ts'

/** How long another process may take to respond: less than the time between two samples. */
const readTimeoutMs = 900
const textBytesMax = 8 * 1024 * 1024
const reasonsMax = 500
const valueLengthMax = 256

/** Where the metrics of one or more servers are read. */
export interface MetricsOrigin {
  readonly roles: readonly MonitoredRole[]
  /** Absent if no metrics are configured. */
  readonly reader?: MetricsReader | undefined
  /** The setting that determines the reader. */
  readonly setting: string
}

/** Reads from an origin. Never rejects: what cannot be read is stated in the sources. */
export async function readOrigin<Value>(
  { roles, reader, setting }: MetricsOrigin,
  read: (reader: MetricsReader) => Promise<Value>,
): Promise<{ readonly value?: Value; readonly sources: readonly MetricsSource[] }> {
  const describe = (source: Omit<MetricsSource, 'role'>) =>
    roles.map((role) => ({ role, ...source }))
  if (!reader) {
    const problem = 'its metrics are not configured'
    return { sources: describe({ state: 'off', problem, setting }) }
  }
  try {
    return { value: await read(reader), sources: describe({ state: 'ok' }) }
  } catch (error) {
    return { sources: describe({ state: 'unreachable', problem: describeError(error), setting }) }
  }
}

function describeError(error: unknown): string {
  const { name, message } = error as Error
  return name === 'TimeoutError' ? 'timed out' : message.slice(0, valueLengthMax)
}

/** Reads the metrics port of another process, at the URL of its metrics. */
export function openRemoteReader(url: string): MetricsReader {
  const get = (address: URL, accept: string) =>
    download(address.href, AbortSignal.timeout(readTimeoutMs), { accept, bytesMax: textBytesMax })
  return {
    text(names = []) {
      const address = new URL(url)
      for (const name of names) address.searchParams.append(nameParameter, name)
      return get(address, 'text/plain')
    },
    async rejections({ reason, interactionId, refused, tools = true }) {
      const path = url.endsWith(metricsPath) ? url.slice(0, -metricsPath.length) : url
      const id = interactionId === undefined ? '' : `/${encodeURIComponent(interactionId)}`
      const address = new URL(path + rejectionsPath + id)
      if (reason !== undefined) address.searchParams.set('reason', reason)
      if (refused) address.searchParams.set('refused', 'true')
      if (!tools) address.searchParams.set('tools', 'false')
      return parseReport(await get(address, 'application/json'))
    },
  }
}

/** Only what the report of Holdfast has: the text comes from another process. */
function parseReport(text: string): RejectionReport {
  const report = parseJson(text) as Partial<Record<keyof RejectionReport, unknown>> | null
  const { rejections, reasons } = report ?? {}
  if (!Array.isArray(rejections) || !Array.isArray(reasons)) {
    throw new Error('its response is not a report of Holdfast')
  }
  return {
    rejections: rejections.slice(0, rejectionsMax).filter(isFailedRequest),
    reasons: reasons.slice(0, reasonsMax).filter(isFailureCount),
  }
}

function isFailedRequest(value: unknown): value is FailedRequest {
  const { time, interactionId, operation } = (value ?? {}) as Partial<FailedRequest>
  const isDate = typeof time === 'number' && Math.abs(time) <= 8.64e15
  return isDate && [interactionId, operation].every(isShort) && isFailure(value)
}

function isFailureCount(value: unknown): value is FailureCount {
  return Number.isSafeInteger((value as Partial<FailureCount> | null)?.count) && isFailure(value)
}

function isFailure(value: unknown): boolean {
  const { role, status, code, reason, circumstance, tool } = value as Partial<FailedRequest>
  return (
    [role, reason].every(isShort) &&
    Number.isSafeInteger(status) &&
    [code, circumstance, tool].every((each) => each === undefined || isShort(each))
  )
}

function isShort(value: unknown): boolean {
  return typeof value === 'string' && value.length <= valueLengthMax
}
