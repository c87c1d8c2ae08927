import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { BlockList, isIP, type Socket } from 'node:net'

export type TrustedProxies = BlockList

const prefixMax = { 4: 32, 6: 128 } as const

/** Addresses and CIDR ranges, separated by commas. Undefined where one of them is neither. */
export function readTrustedProxies(text: string): TrustedProxies | undefined {
  const proxies = new BlockList()
  for (const range of text.split(',').map((part) => part.trim())) {
    const [, address = '', prefix] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(range) ?? []
    const version = isIP(address)
    if (version !== 4 && version !== 6) return undefined
    const length = Number(prefix ?? prefixMax[version])
    // A range of every address would let any caller name its own.
    if (length < 1 || length > prefixMax[version]) return undefined
    proxies.addSubnet(address, length, `ipv${version}`)
  }
  return proxies
}

/**
 * The address that a request comes from. Each trusted proxy appends the address that it was called from, so the
 * header is read from its end, and what stands before the first address that is not of a trusted proxy is that
 * caller's own text.
 */
export function resolveCallerAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  trusted: TrustedProxies | undefined,
): string {
  const peer = plainAddress(socket.remoteAddress ?? '')
  if (!trusted || !isTrusted(trusted, peer)) return peer
  const named = [hopsOf(headers, 'x-forwarded-for'), hopsOf(headers, 'forwarded', forwardedFor)]
    .filter((hops) => hops !== undefined)
    .map((hops) => firstUntrusted(peer, hops, trusted))
  const [address = peer] = named
  // A proxy that writes one of the headers may pass on the caller's own of the other kind.
  return named.every((other) => other === address) ? address : peer
}

/** Whether a connection comes from a trusted proxy. */
export function isTrustedProxy(socket: Socket, trusted: TrustedProxies | undefined): boolean {
  return trusted !== undefined && isTrusted(trusted, plainAddress(socket.remoteAddress ?? ''))
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

/** The addresses in a header from its end; undefined for an element that names none. */
function hopsOf(
  headers: IncomingHttpHeaders,
  name: 'x-forwarded-for' | 'forwarded',
  asNode: (element: string) => string = (element) => element,
): Iterable<string | undefined> | undefined {
  const value = headers[name]
  if (value === undefined) return undefined
  return elementsFromEnd([value].flat().join(',')).map((element) => addressOf(asNode(element)))
}

/**
 * The elements of a list in a header, the last one first. A comma inside quotes separates nothing. A caller may send
 * a quote without its pair: read from the end, it cannot reach what a proxy appended.
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

/** The node of `for=192.0.2.60;proto=http` (RFC 7239). */
function forwardedFor(element: string): string {
  const [, quoted, token] =
    /(?:^|;)[ \t]*for=(?:"([^"\\]*)"|([^";, \t]+))[ \t]*(?:;|$)/i.exec(element) ?? []
  return quoted ?? token ?? ''
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressOf(node: string): string | undefined {
  const [, ipv6, ipv4] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\w+)?$/.exec(node) ?? []
  const address = ipv6 ?? ipv4 ?? node
  return isIP(address) === 0 ? undefined : plainAddress(address)
}

/** Without a zone, and an IPv4 address in IPv6 form as IPv4: one spelling per address. */
function plainAddress(address: string): string {
  const [bare = ''] = address.toLowerCase().split('%', 1)
  return bare.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '')
}

function isTrusted(trusted: TrustedProxies, address: string): boolean {
  const version = isIP(address)
  return version !== 0 && trusted.check(address, version === 4 ? 'ipv4' : 'ipv6')
}
