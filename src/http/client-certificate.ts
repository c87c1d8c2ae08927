import type { TLSSocket } from 'node:tls'

/**
 * Whether the client has a valid certificate of the configured authority. `authorized` is not enough: Node 26.0 to 26.7
 * sets it for a TLS 1.3 session that was resumed without a certificate.
 */
export function hasClientCertificate(socket: TLSSocket): boolean {
  return socket.authorized && socket.getPeerX509Certificate() !== undefined
}
