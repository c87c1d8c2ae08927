import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { isThisMachine } from './third-party-rules.ts'

/** Networks that a third party on the internet is not in: an address there could be a service of the data holder. */
const privateNetworks = new BlockList()
for (const [address, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  privateNetworks.addSubnet(address, prefix, 'ipv4')
}
// Public addresses are in 2000::/3 alone. Some networks in it embed other addresses, or are not connected to the internet.
for (const [address, prefix] of [
  ['::', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
  ['4000::', 2],
  ['8000::', 1],
] as const) {
  privateNetworks.addSubnet(address, prefix, 'ipv6')
}

interface SentRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string | number>>
  readonly body?: string
}

/**
 * Sends a request to a URL of a third party, and returns the response without its body. A redirect is not followed. Private
 * networks are rejected, except for a URL that names this machine. The message of an error is short and has nothing that the
 * receiver wrote.
 */
export async function sendToThirdParty(
  url: string,
  { method, headers, body }: SentRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { protocol, hostname } = new URL(url)
  const { request } =
    protocol === 'https:'
      ? process.getBuiltinModule('node:https')
      : process.getBuiltinModule('node:http')
  const isLocal = isThisMachine(hostname)
  const literal = hostname.replace(/^\[(.*)\]$/, '$1')
  if (!isLocal && isIP(literal) !== 0 && isPrivate(literal)) throw new Error(privateAddress)
  try {
    const outgoing = request(url, {
      method,
      headers: {
        ...headers,
        // A kept connection could be closed by the server while the next request is sent.
        connection: 'close',
        'user-agent': 'holdfast',
      },
      signal,
      ...(!isLocal && { lookup: lookUpPublic }),
    }).end(body)
    // After an abort or the end of the response, another error can follow.
    outgoing.on('error', () => {})
    // Without a listener, a response that switches protocols would end the request without an event.
    const [response] = (await Promise.race([
      once(outgoing, 'response'),
      once(outgoing, 'upgrade'),
    ])) as [IncomingMessage]
    return response
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(code ?? message, { cause: error })
  }
}

const privateAddress = 'address of a private network'

function isPrivate(address: string): boolean {
  return privateNetworks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** Rejects a name that has a private address, so that no connection is opened. */
const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  const { lookup } = process.getBuiltinModule('node:dns')
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? []
    if (error || !first) return callback(error ?? new Error('no address'), '')
    if (addresses.some(({ address }) => isPrivate(address))) {
      return callback(new Error(privateAddress), '')
    }
    if (options.all) return callback(null, addresses)
    callback(null, first.address, first.family)
  })
}
