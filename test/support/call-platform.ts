import assert from 'node:assert/strict'
import type { Agent } from 'node:http'
import { type Answer, type Headers, type Sent, send } from './http.ts'
import type { Finished } from './process.ts'

export const productsPath = '/v1/data-provider/cdr/products'
export const productPath = (id: string) => `${productsPath}/${encodeURIComponent(id)}`

/** Sends requests to a platform, in this process or another, with a token for all operations. */
export interface PlatformCaller {
  readonly port: number
  readonly token: string
  /** Sends a request without a token and without normalising its path. */
  send(path: string, sent?: Sent): Promise<Answer>
  get(path: string, headers?: Headers): Promise<Answer>
  /** These methods send the token. */
  create(body: unknown, headers?: Headers): Promise<Answer>
  replace(id: string, body: unknown, headers?: Headers): Promise<Answer>
  remove(id: string, headers?: Headers): Promise<Answer>
  history(id: string, query?: string): Promise<Answer>
  /** Creates a valid product and returns its id. */
  made(body: unknown): Promise<string>
  /** Reads an existing product. */
  read(id: string, version?: number): Promise<Readonly<Record<string, unknown>>>
}

/** The output of `holdfast client add` and `rotate`. */
export interface Credentials {
  readonly id: string
  readonly secret: string
}

export function readCredentials({ status, stdout, stderr }: Finished): Credentials {
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  const [, id, secret] = /^client_id: (\S+)\nclient_secret: (\S+)\n$/.exec(stdout) ?? []
  assert.ok(id && secret, stdout)
  return { id, secret }
}

/** Requests a token as a client does. */
export async function requestToken(port: number, { id, secret }: Credentials): Promise<string> {
  const body = { client_id: id, client_secret: secret }
  const answer = await send(port, '/v1/token', { method: 'POST', body })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.token
}

export function callPlatform(port: number, token: string, agent?: Agent): PlatformCaller {
  const sendHere = (path: string, sent: Sent = {}) =>
    send(port, path, { ...(agent && { agent }), ...sent })
  const authorized = (headers: Headers) => ({ authorization: `Bearer ${token}`, ...headers })
  const create = (body: unknown, headers: Headers = {}) =>
    sendHere(productsPath, { method: 'POST', body, headers: authorized(headers) })
  return {
    port,
    token,
    send: sendHere,
    get: (path, headers = {}) => sendHere(path, { headers }),
    create,
    replace: (id, body, headers = {}) =>
      sendHere(productPath(id), { method: 'PUT', body, headers: authorized(headers) }),
    remove: (id, headers = {}) =>
      sendHere(productPath(id), { method: 'DELETE', headers: authorized(headers) }),
    history: (id, query = '') =>
      sendHere(`${productPath(id)}/history${query}`, { headers: authorized({}) }),
    async made(body) {
      const answer = await create(body)
      assert.equal(answer.status, 201, answer.text)
      return answer.body.product_id
    },
    async read(id, version) {
      const answer = await sendHere(
        `${productPath(id)}${version === undefined ? '' : `?version=${version}`}`,
      )
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    },
  }
}
