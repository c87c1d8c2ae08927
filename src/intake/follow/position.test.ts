import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { createNdjsonSource } from '../lines.ts'
import { fingerprint, openPositionTracker } from './position.ts'
import { openSegmentReader } from './segment-reader.ts'
import { tailStream } from './tail-stream.ts'

const megabyte = 1024 * 1024

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The memory of buffers is released some time after they are collected. */
async function untilMemoryBelow(bytes: number): Promise<void> {
  let measured = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 20 && measured >= bytes; attempt += 1) {
    measured = await measureMemory()
  }
  assert.ok(measured < bytes, `${measured} bytes`)
}

async function measureMemory(): Promise<number> {
  // Objects that are referenced weakly are kept until the end of a turn of the event loop.
  await setImmediate()
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

describe('a position', () => {
  it('is identified by the bytes before it, however the input was split', () => {
    const line = fc
      .tuple(fc.oneof(fc.nat(20), fc.nat(9000)), fc.integer({ min: 97, max: 122 }))
      .map(([length, letter]) => `${String.fromCharCode(letter).repeat(length)}\n`)
    const input = fc.tuple(
      fc.array(line, { minLength: 1, maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 6000 }), { minLength: 1, maxLength: 20 }),
      fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
    )
    fc.assert(
      fc.property(input, ([lines, sizes, areTaken]) => {
        const data = Buffer.from(lines.join(''))
        const tracker = openPositionTracker(1)
        let line = 0
        let offset = 0
        for (let start = 0, at = 0; start < data.length; at += 1) {
          const piece = data.subarray(start, start + (sizes[at % sizes.length] ?? 1))
          tracker.push(piece)
          start += piece.length
          for (; line < lines.length; line += 1) {
            const end = offset + (lines[line]?.length ?? 0)
            if (end > start) break
            offset = end
            if (!areTaken[line]) continue
            const { last, first, ...taken } = tracker.at(end)
            assert.deepEqual(taken, { offset: end, line: line + 1 })
            assert.deepEqual(last, fingerprint(data.subarray(Math.max(0, end - 4096), end)))
            const firstLine = Buffer.from(lines[0] ?? '').subarray(0, 4096)
            assert.deepEqual(first, fingerprint(firstLine))
          }
        }
      }),
    )
  })

  it('needs no more memory if a line never ends', async () => {
    const tracker = openPositionTracker(1)
    tracker.push(Buffer.from('a\n'))
    const before = await measureMemory()
    for (let count = 0; count < 64; count += 1) tracker.push(Buffer.alloc(megabyte, 'x'))

    await untilMemoryBelow(before + 8 * megabyte)
    assert.deepEqual(tracker.at(2).last, fingerprint(Buffer.from('a\n')))
  })
})

describe('a followed stream', () => {
  const open = async (chunks: AsyncIterable<Buffer>) => {
    const { signal } = new AbortController()
    const options = { pollMs: 1, firstLines: 1, signal, onNotice: () => {} } as const
    const { value } = await tailStream(Readable.from(chunks), undefined, options).next()
    assert.ok(value)
    return value
  }

  it('does not keep blank lines in memory', async () => {
    const segment = await open(
      (async function* () {
        for (let count = 0; count < 64; count += 1)
          yield Buffer.alloc(megabyte, `${' '.repeat(999)}\n`)
        yield Buffer.from('x\n')
      })(),
    )
    const options = { createSource: createNdjsonSource, hasHeader: false, batchLines: 10 }
    const reader = openSegmentReader(segment, options, false)
    const before = await measureMemory()
    while (reader.pending().count === 0) await reader.next(1000)

    await untilMemoryBelow(before + 16 * megabyte)
    assert.equal(JSON.parse(reader.take().position).offset, 64 * megabyte + 2)
  })

  it('does not need more memory for each chunk that was read', async () => {
    const segment = await open(
      (async function* () {
        for (let count = 0; count < 60_000; count += 1) yield Buffer.from('x\n')
      })(),
    )
    const before = await measureMemory()
    let read = 0
    for await (const data of segment.data()) {
      read += data.length
      segment.tracker.forget(read)
      if (read === 120_000) await untilMemoryBelow(before + 12 * megabyte)
    }

    assert.equal(read, 120_000)
  })
})
