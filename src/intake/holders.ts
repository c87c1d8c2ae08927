import { type Problem, problemsMax } from '../contract/index.ts'
import { isObject } from '../contract/schema.ts'

/**
 * Finds violations of the rules for the holders of an account: each is named once, and two or more make the account
 * joint, which requires `users` (docs/decisions/0019-users-on-shared-accounts.md).
 */
export function findHolderProblems(holders: unknown, record: unknown): Problem[] {
  if (!Array.isArray(holders)) return []
  const ids = new Set<unknown>()
  const problems: Problem[] = []
  for (const [index, holder] of holders.entries()) {
    const id = isObject(holder) ? holder['customerId'] : undefined
    if (id === undefined) continue
    if (ids.has(id)) {
      problems.push({ path: `holders[${index}].customerId`, reason: 'must be named once' })
    }
    if (problems.length > problemsMax) break
    ids.add(id)
  }
  return ids.size > 1 ? [...problems, ...findMissingUsers(record)] : problems
}

function findMissingUsers(record: unknown): Problem[] {
  const users = isObject(record) ? record['users'] : undefined
  const isMissing = users === undefined || (Array.isArray(users) && users.length === 0)
  if (!isObject(record) || !isMissing) return []
  const verb = users === undefined ? 'is required' : 'must not be empty'
  return [{ path: 'users', reason: `${verb} when the account has two or more holders` }]
}
