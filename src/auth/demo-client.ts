import { demoClientId } from '../contract/demo-ids.ts'
import type { ClientStore } from './client-store.ts'

/** A store in which the API client of the demo is not registered, and neither are its tokens and its sessions. */
export function withoutDemoClient(store: ClientStore): ClientStore {
  return {
    ...store,
    find: async (id) => (id === demoClientId ? undefined : store.find(id)),
    async findToken(digest) {
      const issued = await store.findToken(digest)
      return issued?.client.id === demoClientId ? undefined : issued
    },
    sessions: {
      ...store.sessions,
      async find(digest, validity) {
        const found = await store.sessions.find(digest, validity)
        const isDemo = found?.user.id === demoClientId && found.user.issuer === undefined
        return isDemo ? undefined : found
      },
    },
  }
}
