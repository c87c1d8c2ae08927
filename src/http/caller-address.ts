import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { BlockList, isIP, type Socket, SocketAddress } from 'node:net'

export type TrustedProxies = BlockList

const prefixMax = { 4: 32, 6: 128 } as const

/** Parses addresses and CIDR ranges, separated by commas. Returns undefined if one of them is invalid. */
export function readTrustedProxies(text: string): TrustedProxies | undefined {
  const proxies = new BlockList()
  for (const range of text.split(',').map((part) => part.trim())) {
    const [, address = '', prefix] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(range) ?? []
    const version = isIP(address)
    if (version !== 4 && version !== 6) return undefined
    const length = Number(prefix ?? prefixMax[version])
    // A range of all addresses would let every client choose its own address.
    if (length < 1 || length > prefixMax[version]) return undefined
    proxies.addSubnet(address, length, `ipv${version}`)
  }
  return proxies
}

/**
 * The address of the client that sent a request. Each trusted proxy appends the address of its peer, so the header is
 * read from the end. Everything before the first address that is not a trusted proxy was written by the client.
 */
export function resolveCallerAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  trusted: TrustedProxies | undefined,
): string {
  const peer = normalizeAddress(socket.remoteAddress ?? '')
  if (!trusted || !isTrusted(trusted, peer)) return peer
  const addresses = [
    readHops(headers, 'x-forwarded-for'),
    readHops(headers, 'forwarded', forwardedFor),
  ]
    .filter((hops) => hops !== undefined)
    .map((hops) => firstUntrusted(peer, hops, trusted))
  const [address = peer] = addresses
  // A proxy that sets one of the headers may pass on the other one as the client sent it.
  return addresses.every((other) => other === address) ? address : peer
}

/** Whether a connection comes from a trusted proxy. */
export function isTrustedProxy(socket: Socket, trusted: TrustedProxies | undefined): boolean {
  return trusted !== undefined && isTrusted(trusted, normalizeAddress(socket.remoteAddress ?? ''))
}

/** A /64 network: the first four of the eight groups of an IPv6 address. */
const networkGroups = 4

/** An IPv4 address, or the /64 network of an IPv6 address: a client can use any address of its /64. */
export function groupAddress(address = ''): string {
  const normalized = normalizeAddress(address)
  if (isIP(normalized) !== 6) return normalized
  const zeros = 8 - normalized.split(':').filter(Boolean).length
  const complete = normalized.replace('::', `:${'0:'.repeat(zeros)}`)
  return complete.split(':').filter(Boolean).slice(0, networkGroups).join(':')
}

function firstUntrusted(
  peer: string,
  hops: Iterable<string | undefined>,
  trusted: TrustedProxies,
): string {
  let address = peer
  for (const hop of hops) {
    if (hop === undefined) break
    address = hop
    if (!isTrusted(trusted, address)) break
  }
  return address
}

/** The addresses in a header, last first; undefined for an element without an address. */
function readHops(
  headers: IncomingHttpHeaders,
  name: 'x-forwarded-for' | 'forwarded',
  readNode: (element: string) => string = (element) => element,
): Iterable<string | undefined> | undefined {
  const value = headers[name]
  if (value === undefined) return undefined
  return elementsFromEnd([value].flat().join(',')).map((element) => parseNode(readNode(element)))
}

/**
 * The elements of a list in a header, last first. A comma inside quotes is not a separator. A client may send an
 * unbalanced quote: read from the end, it cannot affect the elements that a proxy appended.
 */
function* elementsFromEnd(text: string): Generator<string> {
  let end = text.length
  let isQuoted = false
  for (let index = text.length - 1; index >= 0; index -= 1) {
    if (text[index] === '"') isQuoted = !isQuoted
    if (text[index] !== ',' || isQuoted) continue
    yield text.slice(index + 1, end).trim()
    end = index
  }
  yield text.slice(0, end).trim()
}

/** The `for` parameter of an element such as `for=192.0.2.60;proto=http` (RFC 7239). */
function forwardedFor(element: string): string {
  const [, quoted, token] =
    /(?:^|;)[ \t]*for=(?:"([^"\\]*)"|([^";, \t]+))[ \t]*(?:;|$)/i.exec(element) ?? []
  return quoted ?? token ?? ''
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function parseNode(node: string): string | undefined {
  const [, ipv6, ipv4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\w+)?$/.exec(node) ?? []
  const address = ipv6 ?? ipv4 ?? node
  return isIP(address) === 0 ? undefined : normalizeAddress(address)
}

/** Removes the zone and unwraps IPv4-mapped IPv6 addresses, so that each address has one spelling. */
function normalizeAddress(address: string): string {
  const [bare = ''] = address.split('%', 1)
  if (isIP(bare) !== 6) return bare
  return new SocketAddress({ address: bare, family: 'ipv6' }).address.replace(
    /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/,
    '',
  )
}

function isTrusted(trusted: TrustedProxies, address: string): boolean {
  const version = isIP(address)
  return version !== 0 && trusted.check(address, version === 4 ? 'ipv4' : 'ipv6')
}
