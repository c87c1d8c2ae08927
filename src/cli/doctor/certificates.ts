import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { isProtected } from '../../server/settings/value-rules.ts'
import { readTls, readUpstreamTls } from '../../server/tls.ts'
import { examinePart, type Finding, ok, problem, warning } from './finding.ts'
import type { DoctorRole, DoctorSettings } from './options.ts'

const dayMs = 24 * 60 * 60 * 1000
const soonDays = 30

export async function examineCertificates(
  role: DoctorRole,
  settings: DoctorSettings,
): Promise<readonly Finding[]> {
  const { issuer, providerUrl, upstreamCert } = settings
  const publicUrl = role === 'platform' ? issuer : role === 'intake' ? undefined : providerUrl
  return examinePart('certificates', async () => {
    if (role === 'guard') readUpstreamTls(settings)
    const tls = readTls(settings)
    return [
      ...(tls ? examineCertificate(String(tls.cert), publicUrl) : describeMissing(publicUrl)),
      ...(role === 'guard' && upstreamCert !== undefined
        ? examineExpiry(
            'the client certificate for the upstream',
            String(readUpstreamTls(settings).cert),
          )
        : []),
    ]
  })
}

function describeMissing(publicUrl: string | undefined): readonly Finding[] {
  if (publicUrl === undefined || publicUrl.startsWith('http:')) {
    const isOpen = publicUrl !== undefined && !isProtected(publicUrl)
    const text = 'none: the server speaks plain HTTP'
    if (!isOpen) return [ok('certificates', text)]
    const advice =
      'Use an https URL, and set HOLDFAST_TLS_CERT or a proxy with TLS: tokens and data are readable on the way.'
    return [warning('certificates', text, advice)]
  }
  return [ok('certificates', `none: a proxy must serve ${publicUrl} and forward to this server`)]
}

function examineCertificate(pem: string, publicUrl: string | undefined): readonly Finding[] {
  const findings = examineExpiry('the certificate', pem)
  const host = publicUrl === undefined ? undefined : new URL(publicUrl).hostname
  if (host === undefined || isFor(new X509Certificate(pem), host)) return findings
  const advice = 'Correct the public URL, or get a certificate for it, unless a proxy serves it.'
  return [...findings, warning('certificates', `the certificate is not for ${host}`, advice)]
}

function isFor(certificate: X509Certificate, host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '')
  const match = isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)
  return match !== undefined
}

function examineExpiry(name: string, pem: string): readonly Finding[] {
  const { validFromDate, validToDate } = new X509Certificate(pem)
  const days = Math.floor((validToDate.getTime() - Date.now()) / dayMs)
  const text = `${name} is valid until ${validToDate.toISOString()}`
  if (validFromDate.getTime() > Date.now()) {
    return [
      problem(
        'certificates',
        `${name} is not valid before ${validFromDate.toISOString()}`,
        'Compare the clock, or replace it.',
      ),
    ]
  }
  if (days < 0)
    return [
      problem(
        'certificates',
        `${name} has expired on ${validToDate.toISOString()}`,
        'Replace it: clients reject it.',
      ),
    ]
  if (days < soonDays)
    return [warning('certificates', text, 'Renew it, and send SIGHUP to the server.')]
  return [ok('certificates', text)]
}
