import { escapeInvisible } from '../contract/characters.ts'
import {
  type BankingAccountV3,
  findPageRecords,
  type Operation,
  upgradeAccount,
} from '../contract/index.ts'
import { decodeUtf8, parseJson } from '../contract/parse-json.ts'
import { BankingAccountV3 as accountSchemaV3 } from '../contract/records/banking-account.ts'
import { asNode, isObject, type Node } from '../contract/schema.ts'
import { InvalidResponseError, ResponseError } from './errors.ts'
import type { PreparedCall } from './request.ts'
import type { Received } from './send.ts'

/** Error texts appear in logs, and a provider could send a long one. */
const errorLengthMax = 1000

/** The body of a successful response. Throws for an error response, and for a body that is not what the operation returns. */
export function readBody({ id, operation }: PreparedCall, received: Received): unknown {
  const { status, bytes, interactionId, isRefusal } = received
  if (!isSuccess(received)) {
    throw new ResponseError(id, readErrorText(bytes), status, { interactionId, isRefusal })
  }
  if (bytes.length === 0 && operation.mayBeEmpty) return undefined
  const body = parseJson(decodeUtf8(bytes))
  const problem = findProblem(operation, bytes, body)
  if (problem === undefined) return body
  throw new InvalidResponseError(id, problem, interactionId)
}

export function isSuccess({ status }: Pick<Received, 'status'>): boolean {
  return status >= 200 && status < 300
}

/** The records of a page that `readBody` returned. */
export function readRecords({ response }: Operation, page: unknown): unknown[] {
  const { field = '' } = findPageRecords(response) ?? {}
  return (page as { readonly data: Readonly<Record<string, unknown[]>> }).data[field] ?? []
}

/** Upgrades the accounts of a page, or the account in `data`, to version 4, if the operation may return version 3. */
export function upgradeAccounts(operation: Operation, body: unknown): unknown {
  if (hasVersions(findSingle(operation))) {
    const { data, ...rest } = body as { readonly data: BankingAccountV3 }
    return { ...rest, data: upgradeAccount(data) }
  }
  const { field = '', items } = findPageRecords(operation.response) ?? {}
  if (!hasVersions(items)) return body
  const accounts = readRecords(operation, body) as BankingAccountV3[]
  const { data, ...rest } = body as { readonly data: object }
  return { ...rest, data: { ...data, [field]: accounts.map(upgradeAccount) } }
}

/** The schema of `data` in a response that is not a page. */
function findSingle({ response }: Operation): Node | undefined {
  return response && !findPageRecords(response) ? asNode(response).properties?.['data'] : undefined
}

function hasVersions(account: Node | undefined): boolean {
  const { name } = asNode(accountSchemaV3)
  return account?.anyOf?.some((version) => version.name === name) === true
}

/** The error text of the interface in an error response, safe to display. */
export function readErrorText(bytes: Uint8Array): string {
  const body = parseJson(decodeUtf8(bytes))
  const error = isObject(body) ? body['error'] : undefined
  if (typeof error !== 'string') return 'the response has no error text of the interface'
  const isLong = error.length > errorLengthMax
  return escapeInvisible(isLong ? `${error.slice(0, errorLengthMax)}…` : error)
}

/** Checks only what the client itself relies on. A platform validates records with `holdfast/contract`. */
function findProblem(operation: Operation, bytes: Uint8Array, body: unknown): string | undefined {
  if (bytes.length === 0) return 'empty'
  if (body === undefined) return 'not JSON'
  if (!isObject(body)) return 'not a JSON object'
  const isIncomplete = hasVersions(findSingle(operation)) && !isObject(body['data'])
  if (isIncomplete) return 'data is not an object'
  const page = findPageRecords(operation.response)
  if (!page) return undefined
  const records = isObject(body['data']) ? body['data'][page.field] : undefined
  if (!Array.isArray(records)) return `data.${page.field} is not a list`
  return records.every(isObject)
    ? undefined
    : `data.${page.field} has an element that is not an object`
}
