import { type Command, Option } from 'commander'
import { escapeInvisible } from '../../contract/characters.ts'
import { type ConsentFlowState, flowDays, flowStates } from '../../contract/consent-flows.ts'
import type { ConsentFlow } from '../../contract/index.ts'
import type { FlowStore, RecordedFlow } from '../../platform/consent/flow-store.ts'
import { formatFlow } from '../../platform/consent/format-flow.ts'
import { readThirdPartyNames } from '../../platform/consent/third-party-names.ts'
import type { Terminal } from '../../server/terminal.ts'
import { readNow, type StoreFlags, withStore } from '../common/database.ts'
import { createSubcommand } from '../common/subcommands.ts'

const pageSize = 100

interface Flags extends StoreFlags {
  readonly state?: ConsentFlowState
  readonly json?: true
}

export function flowsCommand(terminal: Terminal): Command {
  const about = `list the attempts of the last ${flowDays} days to give a consent or to sign in to /consents, the latest first`
  return createSubcommand('flows', about)
    .addOption(new Option('--state <state>', 'only flows in this state').choices(flowStates))
    .addOption(new Option('--json', 'print JSON'))
    .addHelpText('after', '\nExample: holdfast consent flows --state failed')
    .action(({ state, json, ...flags }: Flags) =>
      withStore('openConsentStore', flags, terminal, async (store) => {
        const now = await readNow(store)
        const names = await readThirdPartyNames(store)
        for await (const each of listFlows(store.flows, state, now)) {
          const flow = formatFlow(each, names)
          terminal.out(json ? `${JSON.stringify(flow)}\n` : formatLine(flow))
        }
      }),
    )
}

async function* listFlows(
  flows: FlowStore,
  state: ConsentFlowState | undefined,
  now: Temporal.Instant,
): AsyncGenerator<RecordedFlow> {
  for (let after: RecordedFlow | undefined; ; ) {
    const page = await flows.list({ state, after, limit: pageSize }, now)
    yield* page
    after = page.at(-1)
    if (page.length < pageSize) return
  }
}

const stateWidth = Math.max(...flowStates.map(({ length }) => length))

function formatLine({ flowId, state, started, thirdParty, steps }: ConsentFlow): string {
  const about = thirdParty ? (thirdParty.name ?? '(removed)') : 'sign-in to /consents'
  const last = steps.findLast(({ reason }) => reason !== undefined) ?? steps.at(-1)
  const ended = last && `${last.step} ${last.reason ?? last.outcome}`
  return `${flowId}  ${state.padEnd(stateWidth)}  ${started}  ${ended}  ${escapeInvisible(about)}\n`
}
