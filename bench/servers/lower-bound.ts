import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RecordedResponse } from '../requests.ts'

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
  readonly responses: Readonly<Record<string, RecordedResponse>>
}

const input = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Input
const publicKeys = new Map(
  input.keys.map((jwk) => [jwk.kid, createPublicKey({ key: { ...jwk }, format: 'jwk' })]),
)
const responses = new Map(
  Object.entries(input.responses).map(([line, { text, isPublic, headers }]) => {
    const body = Buffer.from(text)
    const type = 'application/json; charset=utf-8'
    const allHeaders = { ...headers, 'content-type': type, 'content-length': body.length }
    return [line, { body, isPublic, headers: allHeaders }]
  }),
)

const server = createServer((request, response) => {
  const found = responses.get(`${request.method} ${request.url}`)
  const send = () => {
    if (found && (found.isPublic || isSigned(request.headers.authorization))) {
      response.writeHead(200, found.headers).end(found.body)
    } else response.writeHead(found ? 401 : 404, { 'content-length': 0 }).end()
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
