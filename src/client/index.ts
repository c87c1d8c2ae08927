/** What a platform uses to call a provider: it signs, pages and retries, and knows every operation by name. */
export { type Client, type ClientOptions, createClient } from './client.ts'
export { ResponseError } from './response-error.ts'
export type { SigningKey } from './sign.ts'
