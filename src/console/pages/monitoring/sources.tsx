import type { MetricsSource } from '../../../contract/index.ts'
import { Notice } from '../../components/states.tsx'

/** Without metrics of any server, nothing is known about requests. */
export function areOff(sources: readonly MetricsSource[]): boolean {
  return sources.every(({ state }) => state === 'off')
}

/** Names the servers that cannot be shown, and the settings that show them. */
export function Sources({ sources }: { readonly sources: readonly MetricsSource[] }) {
  const missing = sources.filter(({ state }) => state !== 'ok')
  if (missing.length === 0) return null
  const isUnreachable = missing.some(({ state }) => state === 'unreachable')
  if (areOff(sources)) return <Off sources={missing} />
  return (
    <Notice
      kind={isUnreachable ? 'warn' : 'info'}
      title={`What follows is without the ${missing.map(({ role }) => role).join(' and the ')}`}
    >
      <ul>
        {missing.map(({ role, state, problem, setting }) => (
          <li key={role}>
            {state === 'off'
              ? `The metrics of the ${role} are not configured. Set `
              : `The metrics of the ${role} cannot be read: ${problem}. Look at `}
            <code>{setting}</code>.
          </li>
        ))}
      </ul>
    </Notice>
  )
}

/** Says that nothing is recorded, and how to change that. */
function Off({ sources }: { readonly sources: readonly MetricsSource[] }) {
  return (
    <Notice kind="warn" title="Metrics are off">
      <p>
        Requests, latency, errors and rejections are neither recorded nor shown. To switch metrics
        on, start each server with a port for them, <code>HOLDFAST_METRICS_PORT</code>, and the
        platform also with:
      </p>
      <ul>
        {sources.map(({ role, setting }) => (
          <li key={role}>
            <code>{setting}</code> for the {role}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
