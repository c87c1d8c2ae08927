import type { FileWatch } from '../../database.ts'
import { fileIdentity, replayPath, walPath } from './files.ts'

/** How long the result of a check is cached, and how often a check is made without requests. */
const checkMs = 250

/**
 * Watches the files of a database, with the write-ahead logs, from when they appear. A process that has a file open keeps
 * using it after it was deleted or replaced, while another process opens the new one: neither would see the tokens that
 * the other records. The process must have the databases open: until then, other connections create and delete logs.
 *
 * `onChange` is called once when files were deleted or replaced, and once with no paths when all are back.
 */
export function openSqliteFileWatch(
  database: string,
  role: 'provider' | 'platform' | 'intake',
  onChange: (paths: readonly string[]) => void = () => {},
): FileWatch {
  const databases = role === 'provider' ? [database, replayPath(database)] : [database]
  const paths = databases.flatMap((path) => [path, walPath(path)])
  const opened = new Map<string, string>()
  let isIntact = true
  let checkedAt = Number.NEGATIVE_INFINITY

  const isChanged = (path: string): boolean => {
    const now = fileIdentity(path)
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
