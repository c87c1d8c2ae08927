/** The client of a platform for the operations of a provider. It signs tokens, follows pages and retries. */
export { type Client, type ClientOptions, createClient } from './client.ts'
export { ResponseError } from './response-error.ts'
export type { SigningKey } from './sign.ts'
