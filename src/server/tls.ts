import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { createSecureContext, type TlsOptions, Server as TlsServer } from 'node:tls'
import type { Logger } from 'pino'
import { flagOf, type SettingName, type Settings } from '../settings/settings.ts'
import { CommandError } from './terminal.ts'

type Files = Partial<Pick<Settings, 'tlsCert' | 'tlsKey' | 'tlsClientCa'>>

/** What RFC 9325 recommends, which FAPI asks for: forward secrecy, and no cipher without authentication. */
const floor: TlsOptions = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
  ].join(':'),
}

/** With what to serve https, or nothing where no certificate is named. Throws what is wrong with the files. */
export function readTls({ tlsCert, tlsKey, tlsClientCa }: Files): TlsOptions | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined
  const cert = textOf('tlsCert', tlsCert)
  const key = textOf('tlsKey', tlsKey)
  const [certificate] = certificatesIn('tlsCert', tlsCert, cert)
  if (!certificate?.checkPrivateKey(privateKeyIn(tlsKey, key))) {
    throw new CommandError(
      1,
      `the certificate in ${tlsCert} is not of the key in ${tlsKey}: name the two that belong together, the server's own certificate first in its file`,
    )
  }
  const own = { ...floor, cert, key }
  const options = tlsClientCa === undefined ? own : { ...own, ...demanding(tlsClientCa) }
  // What only OpenSSL judges, such as a key that is too short, is found here and not at the first request.
  createSecureContext(options)
  return options
}

/** Says until when the certificate is good. One that is not is served all the same: it is the caller's to refuse. */
export function logCertificate(log: Logger, { cert }: TlsOptions, event: string): void {
  const validTo = new X509Certificate(cert as string).validToDate
  if (validTo > new Date()) log.info({ validTo }, event)
  else log.warn({ validTo }, `${event}, and its time is over: callers will refuse it`)
}

/**
 * Takes what the files have now for every connection from here on; those that are there go on as they are. Where
 * something is wrong with a file, nothing changes.
 */
export function reloadTls(log: Logger, server: Server, files: Files): void {
  try {
    const options = readTls(files)
    if (!options || !(server instanceof TlsServer)) {
      log.info('nothing to reload: no certificate is set')
      return
    }
    server.setSecureContext(options)
    logCertificate(log, options, 'certificates reloaded')
  } catch (error) {
    log.error(
      { reason: (error as Error).message },
      'certificates not reloaded, those from before stay in use',
    )
  }
}

/** Says of every connection that came to nothing why: without it, nobody could tell a platform what it does wrong. */
export function logRefusedHandshakes(log: Logger, server: Server): void {
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    log.info({ reason: socket.authorizationError ?? error.code }, 'connection refused')
  })
}

function demanding(file: string): TlsOptions {
  const ca = textOf('tlsClientCa', file)
  certificatesIn('tlsClientCa', file, ca)
  return { ca, requestCert: true, rejectUnauthorized: true }
}

function textOf(name: SettingName, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(1, `${flagOf(name)}: ${file} cannot be read (${code})`)
  }
}

const certificateBlock = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs

function certificatesIn(name: SettingName, file: string, text: string): X509Certificate[] {
  try {
    const certificates = (text.match(certificateBlock) ?? []).map((pem) => new X509Certificate(pem))
    if (certificates.length > 0) return certificates
  } catch {
    // Said below: what OpenSSL says of it helps nobody.
  }
  throw new CommandError(
    1,
    `${flagOf(name)}: ${file} has no certificate that can be read: it must be PEM, from -----BEGIN CERTIFICATE----- on`,
  )
}

function privateKeyIn(file: string, text: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch {
    throw new CommandError(
      1,
      `${flagOf('tlsKey')}: ${file} has no private key that can be read: it must be PEM, without a passphrase`,
    )
  }
}
