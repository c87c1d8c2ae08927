import type { Entry, State } from './load-state.ts'
import { newestFirst } from './parse-line.ts'

/** The records of a type in an account that exists, by the model, newest first. */
export function listRecords(state: State, account: string, type: string): Entry[] {
  const records = state.records.get(`${state.accounts.get(account)?.kind}\n${account}`) ?? []
  const found = [...records].filter(([key]) => key.startsWith(`${type}\n`))
  return found.map(([, entry]) => entry).sort(newestFirst)
}
