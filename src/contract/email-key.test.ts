import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { emailKey } from './email-key.ts'

describe('the comparison key of an e-mail address', () => {
  for (const [address, key] of [
    ['Ana.Silva@Example.COM', 'ana.silva@example.com'],
    ['RENÉ@example.com', 'renÉ@example.com'],
    ['stra\u00dfe@example.com', 'stra\u00dfe@example.com'],
    ['\u212aate@example.com', '\u212aate@example.com'],
    ['d\u0131n@example.com', 'd\u0131n@example.com'],
    ['e\u0301@example.com', 'e\u0301@example.com'],
    ['a@BÜCHER.example', 'a@xn--bcher-kva.example'],
    ['a@bu\u0308cher.example', 'a@xn--bcher-kva.example'],
    ['a@XN--Bcher-KVA.example', 'a@xn--bcher-kva.example'],
    ['a@stra\u00dfe.example', 'a@xn--strae-oqa.example'],
    ['a@bücher。example', 'a@xn--bcher-kva.example'],
    ['a@bücher.example.', 'a@xn--bcher-kva.example.'],
    ['"A@B"@bücher.example', '"a@b"@xn--bcher-kva.example'],
    ['No Address', 'no address'],
    ['BÜCHER.example', 'bÜcher.example'],
    ['A@', 'a@'],
    ['@BÜ.example', '@xn--b-eha.example'],
    ['', ''],
    ['a@１.１', 'a@1.1'],
    ['a@0x7F.1', 'a@0x7f.1'],
    ['a@example.com/x', 'a@example.com/x'],
    ['a@bücher.example/X', 'a@bücher.example/x'],
    ['a@bücher.example:80', 'a@bücher.example:80'],
    ['a@b%C3%BC.example', 'a@b%c3%bc.example'],
    ['a@b%75cher\u00fc.example', 'a@b%75cher\u00fc.example'],
    ['a@[IPv6:2001:DB8::1]', 'a@[ipv6:2001:db8::1]'],
    ['a@xn--\u00fc.example', 'a@xn--\u00fc.example'],
    ['a@\ud800.example', 'a@\ud800.example'],
    ['a@b\u0000ü.example', 'a@b\u0000ü.example'],
  ] as const) {
    it(`of ${JSON.stringify(address)} is ${JSON.stringify(key)}`, () => {
      assert.equal(emailKey(address), key)
      assert.equal(emailKey(key), key, 'the key of a key is the key')
    })
  }
})
