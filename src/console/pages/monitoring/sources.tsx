import type { MetricsSource } from '../../../contract/index.ts'
import { Notice } from '../../components/states.tsx'

/** Names the servers that cannot be shown, and the settings that show them. */
export function Sources({ sources }: { readonly sources: readonly MetricsSource[] }) {
  const missing = sources.filter(({ state }) => state !== 'ok')
  if (missing.length === 0) return null
  const isUnreachable = missing.some(({ state }) => state === 'unreachable')
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
