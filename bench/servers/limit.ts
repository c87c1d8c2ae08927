import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The limit: a bare server that verifies the signature of the token, which nobody can leave out, and answers
 * with bytes that it holds. It reads a file with the keys and the answers.
 */
interface Given {
  readonly keys: readonly (Record<string, unknown> & {
    readonly kid: string
    readonly alg: string
  })[]
  /** What is asked, as `GET /path?query`, and the answer. */
  readonly answers: Readonly<Record<string, string>>
  /** What needs no token. */
  readonly open: readonly string[]
}

const { keys, answers, open } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Given
const keyOf = new Map(
  keys.map((jwk) => [jwk.kid, createPublicKey({ key: { ...jwk }, format: 'jwk' })]),
)
const bodies = new Map(Object.entries(answers).map(([ask, text]) => [ask, Buffer.from(text)]))
const openAsks = new Set(open)

const server = createServer((request, response) => {
  const ask = `${request.method} ${request.url}`
  const answer = () => {
    const body = bodies.get(ask)
    const isAllowed = openAsks.has(ask) || isSigned(request.headers.authorization)
    if (!body || !isAllowed) {
      response.writeHead(body ? 401 : 404, { 'content-length': 0 }).end()
      return
    }
    response
      .writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': body.length,
      })
      .end(body)
  }
  if (request.method === 'POST') request.resume().once('end', answer)
  else answer()
})

function isSigned(authorization = ''): boolean {
  const token = authorization.slice('Bearer '.length)
  const [header = '', , signature = ''] = token.split('.')
  const { alg, kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as {
    readonly alg: string
    readonly kid: string
  }
  const key = keyOf.get(kid)
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')))
  return (
    key !== undefined &&
    verify('sha256', signed, inputOf(alg, key), Buffer.from(signature, 'base64url'))
  )
}

function inputOf(alg: string, key: KeyObject) {
  return alg === 'ES256'
    ? { key, dsaEncoding: 'ieee-p1363' as const }
    : { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
}

server.listen(0, '127.0.0.1', () => {
  console.log(`limit ready on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('SIGTERM', () => process.exit())
