import type { FileWatch } from '../../database.ts'
import { identityOf, logPathOf, replayPathOf } from './files.ts'

/** How long the outcome of a check is used, and how often one is made without any request. */
const checkMs = 250

/** Called once when files are no longer those that were opened, and once with none when they are again. */
export type Changed = (paths: readonly string[]) => void

/**
 * With the write-ahead logs, which are part of the data. The process must have the databases open: until then, the
 * logs come and go with the connections of other processes.
 */
export function openSqliteFileWatch(
  database: string,
  role: 'provider' | 'platform',
  onChange?: Changed,
): FileWatch {
  const databases = role === 'provider' ? [database, replayPathOf(database)] : [database]
  return watchFiles(
    databases.flatMap((path) => [path, logPathOf(path)]),
    onChange,
  )
}

/**
 * Watches the files behind these paths. A process that has a file open goes on with it after it was deleted or
 * replaced, while another process opens what the path leads to by then: the two would not see each other's
 * used tokens. A file that does not exist yet is watched from when it appears.
 */
function watchFiles(paths: readonly string[], onChange: Changed = () => {}): FileWatch {
  const opened = new Map<string, string>()
  let isIntact = true
  let checkedAt = Number.NEGATIVE_INFINITY

  const isChanged = (path: string): boolean => {
    const now = identityOf(path)
    const before = opened.get(path)
    if (before === undefined && now !== undefined) opened.set(path, now)
    return before !== undefined && now !== before
  }
  const check = (): boolean => {
    if (performance.now() - checkedAt < checkMs) return isIntact
    const changed = paths.filter(isChanged)
    checkedAt = performance.now()
    if (isIntact !== (changed.length === 0)) {
      isIntact = changed.length === 0
      onChange(changed)
    }
    return isIntact
  }
  check()
  const timer = setInterval(check, checkMs)
  timer.unref()
  return { isIntact: check, close: () => clearInterval(timer) }
}
