import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { hasClientCertificate } from '../../src/http/client-certificate.ts'

/** What Node 26.0 to 26.7 may say of a connection, and later versions not. */
const connection = (authorized: boolean, certificate: object | undefined) =>
  ({ authorized, getPeerX509Certificate: () => certificate }) as unknown as TLSSocket

it('a client has a certificate only if the connection is authorized and has one', () => {
  assert.equal(hasClientCertificate(connection(true, {})), true)
  assert.equal(hasClientCertificate(connection(true, undefined)), false)
  assert.equal(hasClientCertificate(connection(false, {})), false)
  assert.equal(hasClientCertificate(connection(false, undefined)), false)
})
