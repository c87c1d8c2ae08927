import type { ConsentFlow, ConsentThirdParty } from '../../contract/index.ts'
import type { RecordedFlow } from './flow-store.ts'

/** A flow as the API and the command line show it. */
export function formatFlow(flow: RecordedFlow, names: ReadonlyMap<string, string>): ConsentFlow {
  const { id, state, thirdPartyId, started, updated, steps, consentId } = flow
  return {
    flowId: id,
    state,
    ...(thirdPartyId !== undefined && {
      thirdParty: toThirdParty(thirdPartyId, names.get(thirdPartyId)),
    }),
    started: started.toString(),
    updated: updated.toString(),
    steps: steps.map(({ time, ...step }) => ({ time: time.toString(), ...step })),
    ...(consentId !== undefined && { consentId }),
  }
}

export function toThirdParty(id: string, name: string | undefined): ConsentThirdParty {
  return { id, ...(name !== undefined && { name }) }
}
