import type { Rejection } from '../../../contract/index.ts'
import { findRejections } from '../../../contract/operations/monitoring.ts'
import { read } from '../../api.ts'
import { Empty } from '../../components/empty.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Time } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import type { ViewProps } from '../../view-props.ts'
import { Lookup } from './lookup.tsx'
import { Sources } from './sources.tsx'

/** Why the requests with one interaction id were rejected. */
export function View({ params: { interactionId = '' } }: ViewProps) {
  const matches = useResource(interactionId, (signal) =>
    read(findRejections, { params: { interactionId }, signal }),
  )
  return (
    <>
      <PageHeading title="Rejected request">
        <a class="button secondary" href="/console/monitoring">
          All rejections
        </a>
      </PageHeading>
      <Loaded resource={matches}>
        {({ data, sources }) => (
          <>
            <Sources sources={sources} />
            {data.map((rejection) => (
              <Facts key={`${rejection.time} ${rejection.role}`} rejection={rejection} />
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

function Facts({ rejection }: { readonly rejection: Rejection }) {
  const { time, role, operation, status, code, reason, clause, setting } = rejection
  return (
    <section>
      <h2>{reason}</h2>
      <dl class="facts">
        <dt>Time</dt>
        <dd>
          <Time value={time} />
        </dd>
        <dt>Server</dt>
        <dd>{role}</dd>
        <dt>Operation</dt>
        <dd>{operation}</dd>
        <dt>Status</dt>
        <dd>
          {status}
          {code !== undefined && (
            <>
              {' '}
              <code>{code}</code>
            </>
          )}
        </dd>
        <dt>Clause</dt>
        <dd>{clause ?? '–'}</dd>
        {setting !== undefined && (
          <>
            <dt>Setting to look at</dt>
            <dd>
              <code>{setting}</code>
            </dd>
          </>
        )}
        <dt>Interaction ID</dt>
        <dd>
          <Identifier value={rejection.interactionId} />
        </dd>
      </dl>
    </section>
  )
}
