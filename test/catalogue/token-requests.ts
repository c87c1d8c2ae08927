import type { Answer, Headers } from '../support/http.ts'
import type { Platform } from '../support/platform.ts'

export const path = '/v1/token'
const formType = { 'content-type': 'application/x-www-form-urlencoded' }
export const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

export const requestInJson = ({ send }: Platform, body: unknown, headers: Headers = {}) =>
  send(path, { method: 'POST', body, headers })
export const requestInForm = (
  { send }: Platform,
  fields: Record<string, string> | string,
  headers = {},
) =>
  send(path, {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { ...formType, ...headers },
  })

/** Requests a token with these credentials. */
export type RequestToken = (
  platform: Platform,
  id: string,
  secret: string,
  scope?: string,
) => Promise<Answer>

export const forms: Record<'JSON' | 'a form' | 'a form with HTTP Basic', RequestToken> = {
  JSON: (platform, client_id, client_secret, scope) =>
    requestInJson(platform, { client_id, client_secret, ...(scope !== undefined && { scope }) }),
  'a form': (platform, client_id, client_secret, scope) =>
    requestInForm(platform, {
      grant_type: 'client_credentials',
      client_id,
      client_secret,
      ...(scope !== undefined && { scope }),
    }),
  'a form with HTTP Basic': (platform, id, secret, scope) =>
    requestInForm(
      platform,
      { grant_type: 'client_credentials', ...(scope !== undefined && { scope }) },
      basic(id, secret),
    ),
}
export const isOauth = (form: string) => form !== 'JSON'
