import { AccountIds, findProblems, formatProblem, printable } from '../../../contract/index.ts'
import { isObject } from '../../../contract/schema.ts'
import { CdsError } from '../../cds/errors.ts'
import { type CdsCall, errorsOf } from './shared-data.ts'
import { rejectUnlistedAccounts } from './unlisted-accounts.ts'

/**
 * The accounts that the body names: the provider’s IDs by those of the third party. All of them are in the consent, and the
 * provider lists them as accounts of the kind.
 */
export async function readSelectedAccounts(
  call: CdsCall,
  list: (call: CdsCall) => Promise<readonly { readonly accountId: string }[]>,
): Promise<ReadonlyMap<string, string>> {
  const requested = readAccountIds(call.body)
  const { ids, arrangement } = call
  const shared = new Map(
    arrangement.accountIds.map((id) => [ids.makeAccountId(arrangement, id), id]),
  )
  const unknown = requested.filter((id) => !shared.has(id))
  if (unknown.length > 0) throw new CdsError(errorsOf(call).unknownInBody, unknown.map(printable))
  const accounts = new Map(requested.map((id) => [id, shared.get(id) ?? '']))
  const listed = new Set((await list(call)).map(({ accountId }) => accountId))
  const unlisted = new Map([...accounts].filter(([, accountId]) => !listed.has(accountId)))
  if (unlisted.size > 0) await rejectUnlistedAccounts(call, unlisted)
  return accounts
}

/** Without duplicates. */
function readAccountIds(body: unknown): readonly string[] {
  const data = isObject(body) ? body['data'] : undefined
  if (!isObject(data) || data['accountIds'] === undefined) {
    throw new CdsError('missingField', 'data.accountIds')
  }
  const [problem] = findProblems(AccountIds, { data }, 1)
  if (problem) throw new CdsError('invalidField', formatProblem(problem))
  return [...new Set(data['accountIds'] as string[])]
}
