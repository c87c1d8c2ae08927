import { request as sendSecure } from 'node:https'
import type * as openid from 'openid-client'

/** Sends requests with a client certificate, which `fetch` cannot. */
export function fetchWithCertificate(options: object): openid.CustomFetch {
  return (url, { method, headers, body }) =>
    new Promise((done, fail) => {
      const outgoing = sendSecure(
        url,
        { method, headers, agent: false, ...options },
        async (incoming) => {
          const chunks = await Array.fromAsync(incoming)
          const received = Object.entries(incoming.headers).map(([name, value]) => [
            name,
            String(value),
          ])
          const status = incoming.statusCode ?? 0
          done(
            new Response(chunks.length > 0 ? Buffer.concat(chunks) : null, {
              status,
              headers: received as [string, string][],
            }),
          )
        },
      )
      outgoing.on('error', fail)
      outgoing.end(body === undefined || body === null ? undefined : String(body))
    })
}
