import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The lower bound: a minimal server that verifies the signature of the token, which every server must do, and returns
 * responses from memory. It reads a file with the keys and the responses.
 */
interface Input {
  readonly keys: readonly (Record<string, unknown> & {
    readonly kid: string
    readonly alg: string
  })[]
  /** By request line: `GET /path?query`. */
  readonly responses: Readonly<Record<string, string>>
  /** The request lines that need no token. */
  readonly publicRequests: readonly string[]
  /** Further header fields of every response. */
  readonly headers: Readonly<Record<string, string>>
}

const input = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Input
const publicKeys = new Map(
  input.keys.map((jwk) => [jwk.kid, createPublicKey({ key: { ...jwk }, format: 'jwk' })]),
)
const bodies = new Map(
  Object.entries(input.responses).map(([line, text]) => [line, Buffer.from(text)]),
)
const publicRequests = new Set(input.publicRequests)

const server = createServer((request, response) => {
  const requestLine = `${request.method} ${request.url}`
  const send = () => {
    const body = bodies.get(requestLine)
    const isAllowed = publicRequests.has(requestLine) || isSigned(request.headers.authorization)
    if (!body || !isAllowed) {
      response.writeHead(body ? 401 : 404, { 'content-length': 0 }).end()
      return
    }
    response
      .writeHead(200, {
        ...input.headers,
        'content-type': 'application/json; charset=utf-8',
        'content-length': body.length,
      })
      .end(body)
  }
  if (request.method === 'POST') request.resume().once('end', send)
  else send()
})

function isSigned(authorization = ''): boolean {
  const token = authorization.slice('Bearer '.length)
  const [header = '', , signature = ''] = token.split('.')
  const { alg, kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as {
    readonly alg: string
    readonly kid: string
  }
  const key = publicKeys.get(kid)
  const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')))
  return (
    key !== undefined &&
    verify('sha256', signed, verifyInput(alg, key), Buffer.from(signature, 'base64url'))
  )
}

function verifyInput(alg: string, key: KeyObject) {
  return alg === 'ES256'
    ? { key, dsaEncoding: 'ieee-p1363' as const }
    : { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
}

server.listen(0, '127.0.0.1', () => {
  console.log(`lower bound ready on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('SIGTERM', () => process.exit())
