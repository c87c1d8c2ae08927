import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { Server } from 'node:http'
import {
  createSecureContext,
  type SecureContextOptions,
  type TlsOptions,
  Server as TlsServer,
} from 'node:tls'
import type { Logger } from 'pino'
import { fileError, readSettingFile } from './setting-file.ts'
import type { SettingName, Settings } from './settings/settings.ts'
import { CommandError } from './terminal.ts'

type Files = Partial<Pick<Settings, 'tlsCert' | 'tlsKey' | 'tlsClientCa'>>

/** The recommendations of RFC 9325, which FAPI requires: forward secrecy and authenticated encryption only. */
const protocolOptions: SecureContextOptions = {
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

/** Returns undefined if no certificate is configured. Throws if a file is missing or invalid. */
export function readTls({ tlsCert, tlsKey, tlsClientCa }: Files): TlsOptions | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined
  const cert = readSettingFile('tlsCert', tlsCert).toString()
  const key = readSettingFile('tlsKey', tlsKey).toString()
  const [certificate] = parseCertificates('tlsCert', tlsCert, cert)
  if (!certificate?.checkPrivateKey(parsePrivateKey('tlsKey', tlsKey, key))) {
    throw new CommandError(
      1,
      `the certificate in ${tlsCert} does not match the private key in ${tlsKey}; the server's own certificate must be the first in its file`,
    )
  }
  const options: TlsOptions = {
    ...protocolOptions,
    cert,
    key,
    ...(tlsClientCa !== undefined && {
      ca: readCertificates('tlsClientCa', tlsClientCa),
      requestCert: true,
      rejectUnauthorized: true,
    }),
  }
  // Detects errors that only OpenSSL reports, such as a key that is too short, before the first request.
  createSecureContext(options)
  return options
}

type UpstreamFiles = Partial<Pick<Settings, 'upstreamCa' | 'upstreamCert' | 'upstreamKey'>>

/** The options for connections to the upstream. Throws if a file is missing or invalid. */
export function readUpstreamTls({
  upstreamCa,
  upstreamCert,
  upstreamKey,
}: UpstreamFiles): SecureContextOptions {
  const own = {
    ...(upstreamCa !== undefined && { ca: readCertificates('upstreamCa', upstreamCa) }),
    ...(upstreamCert !== undefined && { cert: readCertificates('upstreamCert', upstreamCert) }),
    ...(upstreamKey !== undefined && {
      key: readSettingFile('upstreamKey', upstreamKey).toString(),
    }),
  }
  if (own.key !== undefined) parsePrivateKey('upstreamKey', upstreamKey ?? '', own.key)
  const options = { ...protocolOptions, ...own }
  createSecureContext(options)
  return options
}

/** Logs when the certificate expires. An expired one is served all the same: rejecting it is up to the client. */
export function logCertificate(log: Logger, { cert }: TlsOptions, event: string): void {
  const validTo = new X509Certificate(cert as string).validToDate
  if (validTo > new Date()) log.info({ validTo }, event)
  else log.warn({ validTo }, `${event}, but expired: clients will reject it`)
}

/**
 * Reads the files again and uses them for new connections. Open connections are not affected. If a file is invalid, nothing
 * changes.
 */
export function reloadTls(log: Logger, server: Server, files: Files): void {
  try {
    const options = readTls(files)
    if (!options || !(server instanceof TlsServer)) {
      log.info('nothing to reload: no certificate is configured')
      return
    }
    server.setSecureContext(options)
    logCertificate(log, options, 'certificates reloaded')
  } catch (error) {
    log.error(
      { reason: (error as Error).message },
      'certificates not reloaded: the previous ones stay in use',
    )
  }
}

/** Logs the reason of every failed handshake, which the platform needs to fix its side. */
export function logFailedHandshakes(log: Logger, server: Server): void {
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    log.info({ reason: socket.authorizationError ?? error.code }, 'TLS handshake failed')
  })
}

function readCertificates(name: SettingName, file: string): string {
  const text = readSettingFile(name, file).toString()
  parseCertificates(name, file, text)
  return text
}

const certificateBlock = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs

function parseCertificates(name: SettingName, file: string, text: string): X509Certificate[] {
  try {
    const certificates = (text.match(certificateBlock) ?? []).map((pem) => new X509Certificate(pem))
    if (certificates.length > 0) return certificates
  } catch {
    // Reported below: the message of OpenSSL does not help.
  }
  throw fileError(
    name,
    `${file} contains no valid certificate; it must be PEM, starting with -----BEGIN CERTIFICATE-----`,
  )
}

function parsePrivateKey(name: SettingName, file: string, text: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch {
    const problem = `${file} contains no valid private key; it must be PEM, without a passphrase`
    throw fileError(name, problem)
  }
}
