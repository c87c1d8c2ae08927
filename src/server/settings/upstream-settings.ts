import { validationModes } from '../../provider/upstream/validation-modes.ts'
import { usedBy } from './definition.ts'
import { baseUrl, oneOf, path, wholeNumber } from './value-types.ts'

const timeoutMsMax = 120_000
const connectionsMax = 10_000
const bytesMax = 512 * 1024 * 1024
const sampleMax = 1_000_000

/** The settings of the guard, which forwards requests to a service of the data provider. */
export const upstreamDefinitions = usedBy(['guard'], {
  upstream: {
    about: 'the base URL of the service that the guard forwards requests to',
    ...baseUrl,
    requiredBy: ['guard'],
  },
  upstreamOperations: {
    about:
      'the operations that are forwarded; the others are served from the database. By default, all are forwarded',
    placeholder: 'operations',
    mustBe: 'references of operations, separated by commas, such as B2,B3',
    read: (text) => (/^\w{1,20}(,\w{1,20}){0,99}$/.test(text) ? text : undefined),
  },
  upstreamHeaderFile: {
    about:
      'a file with the header field that authenticates the guard to the upstream, such as x-api-key: SECRET',
    ...path('the path of a file'),
  },
  upstreamCa: {
    about:
      'a file with the CA certificates that the upstream is verified against, instead of the well-known ones',
    ...path('the path of a PEM file'),
  },
  upstreamCert: {
    about: 'a file with the client certificate of the guard for the upstream',
    ...path('the path of a PEM file'),
    requiredWith: ['upstreamKey'],
  },
  upstreamKey: {
    about: 'a file with the private key of the client certificate',
    ...path('the path of a PEM file'),
    requiredWith: ['upstreamCert'],
  },
  upstreamConnections: {
    about:
      'the maximum number of connections of each process to the upstream; further requests wait for one',
    ...wholeNumber(1, connectionsMax),
    defaults: { guard: '100' },
  },
  upstreamConnectTimeoutMs: {
    about: 'how many milliseconds a connection to the upstream may take, including TLS',
    ...wholeNumber(1, timeoutMsMax),
    defaults: { guard: '2000' },
  },
  upstreamFirstByteTimeoutMs: {
    about:
      'how many milliseconds the upstream may take from the request to the headers of its response',
    ...wholeNumber(1, timeoutMsMax),
    defaults: { guard: '10000' },
  },
  upstreamTimeoutMs: {
    about:
      'how many milliseconds a request to the upstream may take in total, from waiting for a connection to the end of the response',
    ...wholeNumber(1, timeoutMsMax),
    defaults: { guard: '20000' },
  },
  upstreamResponseBytesMax: {
    about: 'the maximum size of a response body of the upstream in bytes',
    ...wholeNumber(1, bytesMax),
    defaults: { guard: String(32 * 1024 * 1024) },
  },
  validate: {
    about:
      'what happens with invalid responses of the upstream: off does not check, report logs and counts, enforce responds with 502 instead',
    ...oneOf('mode', validationModes),
    defaults: { guard: 'report' },
  },
  validateSample: {
    about:
      'in mode report, one of how many responses of each operation is checked, beginning with the first',
    ...wholeNumber(1, sampleMax),
    defaults: { guard: '100' },
  },
})
