import type { ConsentFlow } from '../../../contract/index.ts'
import { listConsentFlows } from '../../../contract/operations/consents.ts'
import { read } from '../../api.ts'
import { listStates, StateBadge } from '../../components/badge.tsx'
import { SecondaryButton } from '../../components/button.tsx'
import { ChipSelect } from '../../components/field.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { setQuery, type ViewProps } from '../../router.ts'
import { hasScope } from '../../session.ts'
import { consentUrl } from './columns.tsx'
import { CursorList, useCursorList } from './cursor-list.tsx'
import { FlowEnds } from './flow-ends.tsx'
import { flowStateLabels, outcomeLabels, reasons, stepLabels } from './labels.ts'

export function View({ query }: ViewProps) {
  const state = query.get('state') ?? undefined
  const { list, isFiltered } = useCursorList(query, ['state'], (selection, signal) =>
    read(listConsentFlows, { query: selection, signal }),
  )
  return (
    <>
      <PageHeading
        title="Consent flows"
        crumbs={[['Consents', '/console/consents']]}
        about="Attempts to give a consent, and to sign in to the page with consents, in the last 7 days, the latest first. Data of customers is not recorded: a customer who asks for help can say when and at which third party it happened."
      >
        <SecondaryButton onClick={list.reload}>Refresh</SecondaryButton>
      </PageHeading>
      {hasScope('operations.read') && <FlowEnds query={query} />}
      <div class="toolbar">
        <ChipSelect
          label="State"
          value={state ?? ''}
          options={listStates(flowStateLabels)}
          onSelect={(chosen) => setQuery({ state: chosen, cursor: undefined })}
        />
      </div>
      <CursorList {...{ list, query }} noun="flows" empty={<NoFlows isFiltered={isFiltered} />}>
        {(flows, pager) => (
          <>
            {flows.map((flow) => (
              <Flow key={flow.flowId} flow={flow} />
            ))}
            {pager}
          </>
        )}
      </CursorList>
    </>
  )
}

function Flow({ flow }: { readonly flow: ConsentFlow }) {
  const { thirdParty, state, started, steps, consentId } = flow
  const problem = steps.findLast(({ reason }) => reason !== undefined)
  return (
    <details class="flow">
      <summary>
        <StateBadge label={flowStateLabels[state]} />{' '}
        <bdi class="flow-name">
          {thirdParty ? (thirdParty.name ?? 'Removed third party') : 'Sign-in to the consents'}
        </bdi>{' '}
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
          <li key={index}>
            <p>
              <strong>{stepLabels[step.step]}</strong>{' '}
              <StateBadge label={outcomeLabels[step.outcome]} />{' '}
              <span class="muted">
                <Time value={step.time} />
              </span>
            </p>
            {step.reason !== undefined && (
              <p>
                {reasons[step.reason][0]} <span class="muted">{reasons[step.reason][1]}</span>
              </p>
            )}
            {step.detail !== undefined && <pre>{step.detail}</pre>}
          </li>
        ))}
      </ol>
      {consentId !== undefined && (
        <p>
          <a href={consentUrl(consentId)}>The consent</a>
        </p>
      )}
    </details>
  )
}

function NoFlows({ isFiltered }: { readonly isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title="No flow of the last 7 days is in this state" />
  ) : (
    <Empty title="No consent flow in the last 7 days">
      <p>
        A flow appears here when a customer comes from a third party or signs in to the page with
        consents, or when a request of a third party is rejected. In the demo, connect Demo Bank in
        Example Budget.
      </p>
    </Empty>
  )
}
