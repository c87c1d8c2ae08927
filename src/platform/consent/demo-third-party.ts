import { demoThirdPartyId } from '../../contract/demo-ids.ts'
import type { ConsentStore } from './store.ts'

/** A store in which the third party of the demo is not registered. Its consents stay, and can be withdrawn. */
export function withoutDemoThirdParty(store: ConsentStore): ConsentStore {
  const { thirdParties } = store
  return {
    ...store,
    thirdParties: {
      ...thirdParties,
      find: async (id) => (id === demoThirdPartyId ? undefined : thirdParties.find(id)),
    },
  }
}
