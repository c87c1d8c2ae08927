import type { Entry, State } from './load-model.ts'
import { newestFirst } from './parse-line.ts'

/** The records of a type in an account that exists, by the model, newest first. */
export function listRecords(state: State, account: string, type: string): Entry[] {
  const prefix = `${state.accounts.get(account)?.kind}\n${account}\n${type}\n`
  const found = [...state.records].filter(([key]) => key.startsWith(prefix))
  return found.map(([, entry]) => entry).sort(newestFirst)
}
