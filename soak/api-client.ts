import { readCredentials } from '../test/support/call-platform.ts'
import { send } from '../test/support/http.ts'
import { runInProcess } from '../test/support/process.ts'
import { requireAvailable, untilAnswered } from './retry.ts'

/** Half of the lifetime of a token. */
const tokenMaxMs = 450_000

/** Registers an API client with the command. Returns a function that returns its token, a new one before it expires. */
export async function addApiClient(
  pickPort: () => number,
  database: string,
  name: string,
  scopes: string,
): Promise<() => Promise<string>> {
  const flags = ['--scope', scopes, '--database', database]
  const { id, secret } = readCredentials(await runInProcess(['client', 'add', name, ...flags]))
  const body = { client_id: id, client_secret: secret }
  let issued: { readonly token: string; readonly at: number } | undefined
  return async () => {
    if (!issued || performance.now() - issued.at > tokenMaxMs) {
      const token = await untilAnswered(`a token request of ${name}`, async () => {
        const answer = await send(pickPort(), '/v1/token', { method: 'POST', body })
        requireAvailable(answer.status, answer.text)
        if (answer.status !== 200) throw new Error(`no token for ${name}: ${answer.text}`)
        return answer.body.token as string
      })
      issued = { token, at: performance.now() }
    }
    return issued.token
  }
}
