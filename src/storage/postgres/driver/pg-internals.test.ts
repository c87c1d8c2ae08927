import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMessageReader } from './pg-internals.ts'

function message(code: string, content: string): Buffer {
  const bytes = Buffer.alloc(5 + content.length)
  bytes.write(code)
  bytes.writeUInt32BE(4 + content.length, 1)
  bytes.write(content, 5)
  return bytes
}

const messages = [message('D', 'a row of several words'), message('C', ''), message('Z', 'I')]

describe('the messages of a connection', () => {
  for (let size = 1; size <= Buffer.concat(messages).length; size += 1) {
    it(`are whole if they arrive in parts of ${size} bytes`, () => {
      const all = Buffer.concat([...messages, ...messages])
      const seen: string[] = []
      const read = createMessageReader((bytes) => {
        for (let at = 0; at < bytes.length; at += 1 + bytes.readUInt32BE(at + 1)) {
          seen.push(bytes.toString('latin1', at, at + 1 + bytes.readUInt32BE(at + 1)))
        }
      })

      for (let at = 0; at < all.length; at += size) read(all.subarray(at, at + size))

      const expected = messages.map((bytes) => bytes.toString('latin1'))
      assert.deepEqual(seen, [...expected, ...expected])
    })
  }

  it('are rejected if a length is invalid', () => {
    const read = createMessageReader(() => {})

    assert.equal(read(Buffer.from('HTTP/1.1 400 Bad Request\r\n')), false)
    assert.equal(read(Buffer.from([0x44, 0, 0, 0, 3, 0])), false)
  })
})
