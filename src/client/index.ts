/** The client of a platform for the operations of a provider. It signs tokens, follows pages and retries. */
export { type Client, createClient } from './client.ts'
export {
  ClientError,
  ConnectionError,
  InvalidResponseError,
  ResponseError,
  TimeoutError,
} from './errors.ts'
export type { ClientOptions } from './options.ts'
export type { SigningKey } from './sign.ts'
