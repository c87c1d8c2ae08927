import { copyFileSync } from 'node:fs'
import {
  copyPostgres,
  currentEngine,
  currentLayout,
  newDatabase,
  type Scope,
  shareOnEachEngine,
} from './engines.ts'
import { type Line, loadInProcess } from './load.ts'

/** Creates databases with these lines, which are loaded once and then copied, except on Citus. */
export function copyDatabase(lines: readonly Line[]): (scope: Scope) => Promise<string> {
  const load = async (scope: Scope): Promise<string> => {
    const database = await newDatabase(scope)
    await loadInProcess(database, lines)
    return database
  }
  const loadOriginal = shareOnEachEngine(load)
  return async (scope) => {
    if (currentLayout() === 'citus') return load(scope)
    const original = await loadOriginal()
    if (currentEngine() === 'postgres') return copyPostgres(scope, original)
    const database = await newDatabase(scope)
    copyFileSync(original.slice('sqlite:'.length), database.slice('sqlite:'.length))
    return database
  }
}
