import type { PlatformStatus } from '../../../contract/index.ts'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { capitalize } from '../../labels.ts'

/** What an operator or a product manager should look at, before everything else. */
export function Attention({ status: { servers } }: { readonly status: PlatformStatus }) {
  const items = servers
    .filter(({ status }) => status !== 'ok')
    .flatMap(({ role, reasons, status }) =>
      (reasons.length > 0 ? reasons : [status]).map((reason) => ({ role, status, reason })),
    )
  return (
    <Card title="Needs attention" note={items.length > 0 ? items.length : undefined}>
      {items.length === 0 ? (
        <p>
          <Badge kind="good">Healthy</Badge> Nothing needs attention.
        </p>
      ) : (
        <ul class="checks-list" role="alert">
          {items.map(({ role, status, reason }) => (
            <li key={role + reason}>
              <Badge kind={status === 'unavailable' ? 'bad' : 'warn'}>Server</Badge>
              <div>
                {capitalize(role)}: {reason}
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
