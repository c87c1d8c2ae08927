import { BlockList, isIP } from 'node:net'
import type { AddressKind } from '../contract/index.ts'
import { isLoopback } from './loopback.ts'

/** RFC 1918, 3927, 4193, 4291 and 6598. */
const privateNetworks = new BlockList()
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  privateNetworks.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  privateNetworks.addSubnet(network, prefix, 'ipv6')

/** Of the address of a caller. */
export function classifyAddress(address: string): AddressKind {
  if (isLoopback(address)) return 'this_machine'
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  return privateNetworks.check(address, family) ? 'private_network' : 'internet'
}
