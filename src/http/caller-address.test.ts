import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { groupAddress, readTrustedProxies, resolveCallerAddress } from './caller-address.ts'

const trusted = readTrustedProxies('10.0.0.0/8, 192.0.2.1, 2001:db8:1::/48')

/** The caller of a request that arrives from a peer with these headers. */
function caller(peer: string, headers: Record<string, string>): string {
  return resolveCallerAddress({ socket: { remoteAddress: peer } as never, headers }, trusted)
}

describe('the address of a caller', () => {
  for (const [name, peer, header, address] of [
    ['without a header', '10.0.0.1', undefined, '10.0.0.1'],
    ['of a peer that is no proxy', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['behind one proxy', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['behind two proxies', '10.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['that writes a header itself', '10.0.0.1', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['that names a proxy itself', '10.0.0.1', '10.9.9.9, 203.0.113.9', '203.0.113.9'],
    ['that sends quotes', '10.0.0.1', '"1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['that is a proxy', '10.0.0.1', '10.0.0.3,10.0.0.2', '10.0.0.3'],
    ['with a port', '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['of IPv6', '2001:db8:1::1', '2001:DB8:2::9', '2001:db8:2::9'],
    ['of IPv6 with a port', '10.0.0.1', '[2001:db8:2::9]:4711', '2001:db8:2::9'],
    ['in the IPv6 form of IPv4', '::ffff:10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['in other spellings of it', '::ffff:a00:1', '0:0:0:0:0:ffff:203.0.113.9', '203.0.113.9'],
    ['that is hidden', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['behind a hidden hop', '10.0.0.1', '203.0.113.9, unknown, 10.0.0.2', '10.0.0.2'],
    ['in an empty header', '10.0.0.1', '', '10.0.0.1'],
    ['in a list that ends in a comma', '10.0.0.1', '203.0.113.9,', '10.0.0.1'],
    ['that is no address', '10.0.0.1', '203.0.113.999', '10.0.0.1'],
  ] as const) {
    it(`${name} is ${address}`, () => {
      const headers = header === undefined ? {} : { 'x-forwarded-for': header }
      assert.equal(caller(peer, headers), address)
    })
  }

  for (const [forwarded, address] of [
    ['for=203.0.113.9', '203.0.113.9'],
    ['proto=https;For="203.0.113.9:80";by=10.0.0.1', '203.0.113.9'],
    ['for="[2001:db8:2::9]:4711"', '2001:db8:2::9'],
    ['for=198.51.100.1, for=203.0.113.9, for=10.0.0.2', '203.0.113.9'],
    ['for=198.51.100.1;x="a,b", for=203.0.113.9', '203.0.113.9'],
    ['for=", for="[2001:db8:2::9]"', '2001:db8:2::9'],
    ['for=_hidden', '10.0.0.1'],
    ['proto=https', '10.0.0.1'],
    ['xfor=203.0.113.9', '10.0.0.1'],
  ] as const) {
    it(`in Forwarded: ${forwarded} is ${address}`, () => {
      assert.equal(caller('10.0.0.1', { forwarded }), address)
    })
  }

  it('is the proxy where the two headers name different ones', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=198.51.100.1' }
    assert.equal(caller('10.0.0.1', headers), '10.0.0.1')
    assert.equal(caller('10.0.0.1', { ...headers, forwarded: 'for=203.0.113.9' }), '203.0.113.9')
  })
})

describe('a list of trusted proxies', () => {
  for (const text of [
    '',
    ' ',
    '10.0.0.1,',
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::/0',
    '10.0.0.0/8/8',
    '10.0.0.1 10.0.0.2',
    'fe80::1%eth0',
    '10.0.0.0/-1',
    '2001:db8::/129',
  ]) {
    it(`may not be "${text}"`, () => assert.equal(readTrustedProxies(text), undefined))
  }
})

describe('the group of an address', () => {
  for (const [address, group] of [
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1'],
    ['2001:0db8::1:2:3:4:5', '2001:db8:0:1'],
    ['2001:db8::9', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['2001:DB8::9', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['0:0:0:0:0:FFFF:203.0.113.9', '203.0.113.9'],
    ['::203.0.113.9', '0:0:0:0'],
    ['', ''],
  ] as const) {
    it(`${address} is ${group}`, () => assert.equal(groupAddress(address), group))
  }
})
