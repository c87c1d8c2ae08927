import type { ConsentFlow, ConsentFlowStep } from '../../../contract/index.ts'
import { listConsentFlows } from '../../../contract/operations/consents.ts'
import { read } from '../../api.ts'
import { Badge } from '../../components/badge.tsx'
import { CursorPager } from '../../components/cursor-pager.tsx'
import { Empty } from '../../components/empty.tsx'
import { Field } from '../../components/field.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Time } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import { setQuery } from '../../router.ts'
import type { ViewProps } from '../../view-props.ts'
import { flowStateLabels, outcomeLabels, reasons, stepLabels } from './labels.ts'

export function View({ query }: ViewProps) {
  const state = query.get('state') ?? undefined
  const cursor = query.get('cursor') ?? undefined
  const list = useResource(
    query.toString(),
    (signal) => read(listConsentFlows, { query: { state, cursor }, signal }),
    { keepValue: true },
  )
  return (
    <>
      <PageHeading title="Consent flows">
        <button type="button" class="secondary" onClick={list.reload}>
          Refresh
        </button>
        <a class="button secondary" href="/console/consents">
          Consents
        </a>
      </PageHeading>
      <p>
        Attempts to give a consent in the last 7 days, the latest first. Data of customers is not
        recorded: a customer who asks for help can say when and at which third party it happened.
      </p>
      <div class="fields">
        <Field label="State">
          {(control) => (
            <select
              {...control}
              value={state ?? ''}
              onChange={({ currentTarget }) =>
                setQuery({ state: currentTarget.value, cursor: undefined })
              }
            >
              <option value="">All</option>
              {Object.entries(flowStateLabels).map(([name, [, label]]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <div aria-busy={list.isLoading}>
        <Loaded resource={list}>
          {({ data, next }) => (
            <>
              {data.length === 0 && <NoFlows isFiltered={state !== undefined} />}
              {data.map((flow) => (
                <Flow key={flow.flowId} flow={flow} />
              ))}
              <CursorPager cursor={cursor} next={next} noun="flows" />
            </>
          )}
        </Loaded>
      </div>
    </>
  )
}

function Flow({ flow }: { readonly flow: ConsentFlow }) {
  const { thirdParty, state, started, steps, consentId } = flow
  const [kind, label] = flowStateLabels[state]
  const problem = steps.findLast(({ reason }) => reason !== undefined)
  return (
    <details class="flow">
      <summary>
        <Badge kind={kind}>{label}</Badge>{' '}
        <bdi class="flow-name">{thirdParty.name ?? 'Removed third party'}</bdi>{' '}
        <span class="muted">
          <Time value={started} />
        </span>
        {problem?.reason !== undefined && (
          <span class="flow-problem">
            {stepLabels[problem.step]}: {reasons[problem.reason][0]}
          </span>
        )}
      </summary>
      <ol class="timeline">
        {steps.map((step, index) => (
          <Step key={index} step={step} />
        ))}
      </ol>
      {consentId !== undefined && (
        <p>
          <a href={`/console/consents/${encodeURIComponent(consentId)}`}>The consent</a>
        </p>
      )}
    </details>
  )
}

function Step({
  step: { time, step, outcome, reason, detail },
}: {
  readonly step: ConsentFlowStep
}) {
  const [kind, label] = outcomeLabels[outcome]
  return (
    <li>
      <p>
        <strong>{stepLabels[step]}</strong> <Badge kind={kind}>{label}</Badge>{' '}
        <span class="muted">
          <Time value={time} />
        </span>
      </p>
      {reason !== undefined && (
        <p>
          {reasons[reason][0]} <span class="muted">{reasons[reason][1]}</span>
        </p>
      )}
      {detail !== undefined && <pre>{detail}</pre>}
    </li>
  )
}

function NoFlows({ isFiltered }: { readonly isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="No flow of the last 7 days is in this state" />
  ) : (
    <Empty title="No consent flow in the last 7 days">
      <p>
        A flow appears here when a customer comes from a third party, or when a request of a third
        party is rejected. In the demo, connect Demo Bank in Example Budget.
      </p>
    </Empty>
  )
}
