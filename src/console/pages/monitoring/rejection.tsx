import type { Rejection } from '../../../contract/index.ts'
import { capitalize, toLabel } from '../../../contract/labels.ts'
import { findRejections } from '../../../contract/operations/monitoring.ts'
import { read } from '../../api.ts'
import { Facts } from '../../components/facts.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import type { ViewProps } from '../../router.ts'
import { Lookup } from './lookup.tsx'
import { nameReason, ReasonCode } from './reason.tsx'
import { Sources } from './sources.tsx'
import { ToolBadge } from './tool.tsx'

/** Why the requests with one interaction id were rejected. */
export function View({ params: { interactionId = '' } }: ViewProps) {
  const matches = useResource(interactionId, (signal) =>
    read(findRejections, { params: { interactionId }, signal }),
  )
  return (
    <>
      <PageHeading title="Rejected request" crumbs={[['Monitoring', '/console/monitoring']]} />
      <Loaded resource={matches}>
        {({ data, sources }) => (
          <>
            <Sources sources={sources} />
            {data.map((rejection) => (
              <RejectionFacts key={`${rejection.time} ${rejection.role}`} rejection={rejection} />
            ))}
            {data.length === 0 && (
              <Empty title="No rejected request of the last hour has this interaction ID">
                <p>
                  The request may have succeeded, may be older, or may not have reached a server.
                  The log has the interaction ID of every request.
                </p>
                <p>
                  <Identifier value={interactionId} />
                </p>
              </Empty>
            )}
          </>
        )}
      </Loaded>
      <h2>Find another</h2>
      <Lookup key={interactionId} value={interactionId} />
    </>
  )
}

function RejectionFacts({ rejection }: { readonly rejection: Rejection }) {
  const { time, role, operation, status, code, reason, circumstance, clause, setting, tool } =
    rejection
  return (
    <section class="card rejection">
      <h2>
        {nameReason(reason)} <ReasonCode reason={reason} />
      </h2>
      {clause !== undefined && <p class="muted">{clause}</p>}
      <Facts
        facts={{
          Time: <Time value={time} />,
          Server: capitalize(role),
          Operation: operation,
          'Sent by': tool && <ToolBadge tool={tool} />,
          Status: <Status status={status} />,
          'Error code': code && <code>{code}</code>,
          Circumstance: circumstance && toLabel(circumstance),
          'Setting to look at': setting && <code>{setting}</code>,
          'Interaction ID': <Identifier value={rejection.interactionId} />,
        }}
      />
    </section>
  )
}
