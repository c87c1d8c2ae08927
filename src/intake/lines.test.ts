import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { createNdjsonSource, lineBytesMax } from './lines.ts'

describe('the raw bytes of a line', () => {
  it('are those of the source, also of a line that cannot be read', async () => {
    const notUtf8 = Buffer.from([0x22, 0xff, 0x22])
    const bytes = Buffer.concat([
      Buffer.from('\ufeff{"a":1}\r\n\n'),
      notUtf8,
      Buffer.from(`\n${' '.repeat(lineBytesMax + 1)}\n{"é":2}`),
    ])
    const open = () => Readable.from([bytes.subarray(0, 9), bytes.subarray(9)])
    const source = createNdjsonSource({ name: 'data', open })

    const lines = []
    for await (const chunk of source.read({ withRaw: true })) lines.push(...chunk.lines)

    assert.deepEqual(
      lines.map(({ line, raw }) => ({ line, raw })),
      [
        { line: 1, raw: Buffer.from('\ufeff{"a":1}\r') },
        { line: 3, raw: notUtf8 },
        { line: 4, raw: undefined },
        { line: 5, raw: Buffer.from('{"é":2}') },
      ],
    )
  })
})
