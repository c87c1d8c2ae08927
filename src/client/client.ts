import {
  findPageRecords,
  type Input,
  type Operation,
  type OperationOf,
  type Output,
  providerOperations,
} from '../contract/index.ts'
import { type ClientOptions, resolveOptions } from './options.ts'
import { followLinks } from './pages.ts'
import { readBody, readRecords, upgradeAccounts } from './read-body.ts'
import { type AnyInput, type PreparedCall, prepareCall } from './request.ts'
import { openSender } from './send.ts'

type ProviderOperationId = keyof typeof providerOperations

/** The query is optional, and so are its parameters. */
type CallInput<O extends Operation> = Pick<Input<O>, 'params'> & {
  readonly query?: Partial<Input<O>['query']>
  /** A UUID that the provider logs and returns, to find the request in the logs of both sides. Default: chosen by the provider. */
  readonly interactionId?: string | undefined
  /** Ends the call with its retries and further pages. The error has the reason as its cause. */
  readonly signal?: AbortSignal | undefined
} & (Input<O>['body'] extends undefined ? unknown : { readonly body: Input<O>['body'] })

/** The record of a paged list; never for any other response. */
type Item<O extends Operation> =
  Output<O> extends { readonly data: infer Data; readonly links: unknown }
    ? Data[keyof Data] extends readonly (infer Record)[]
      ? Record
      : never
    : never

type Call<O extends Operation> = {
  (input: CallInput<O>): Promise<Output<O>>
  /** Iterates over all pages by following the `next` links. */
  pages(input: CallInput<O>): AsyncGenerator<Output<O>>
} & ([Item<O>] extends [never] ? unknown : ItemCall<O>)

type ItemCall<O extends Operation> = {
  /** Iterates over the records of all pages. A page is requested when its first record is needed. */
  items(input: CallInput<O>): AsyncGenerator<Item<O>>
}

/** One method per operation, named as in the contract: `client.listBankingBalances(…)`. */
export type Client = { readonly [Id in ProviderOperationId]: Call<OperationOf<Id>> }

/** Throws if an option is invalid. All errors of a call are a `ClientError`, except for invalid input and keys. */
export function createClient(options: ClientOptions): Client {
  const resolved = resolveOptions(options)
  const send = openSender(resolved)

  const read = async (call: PreparedCall, query: string): Promise<unknown> => {
    const body = readBody(call, await send(call, query))
    return resolved.accountVersion === 4 ? body : upgradeAccounts(call.operation, body)
  }

  const createCall = ([id, operation]: [string, Operation]) => {
    const prepare = (input: AnyInput) => prepareCall(id, operation, input, resolved)
    const call = async (input: AnyInput) => {
      const prepared = prepare(input)
      return read(prepared, prepared.query)
    }
    async function* pages(input: AnyInput): AsyncGenerator<unknown> {
      const prepared = prepare(input)
      yield* followLinks(
        prepared,
        resolved.pagesMax,
        (query) => read(prepared, query),
        (page) => page,
      )
    }
    async function* items(input: AnyInput): AsyncGenerator<unknown> {
      for await (const page of pages(input)) yield* readRecords(operation, page)
    }
    const iterators = findPageRecords(operation.response) ? { pages, items } : { pages }
    return [id, Object.assign(call, iterators)]
  }

  return Object.fromEntries(Object.entries<Operation>(providerOperations).map(createCall)) as Client
}
