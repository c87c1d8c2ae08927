import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { lineWriterLimits, openLineWriter } from '../../src/server/observe/line-writer.ts'
import { openPipe, type TestPipe } from '../support/pipe.ts'

const limits = { ...lineWriterLimits, pendingBytesMax: 20_000, flushMs: 1, retryMs: 1 }
const closeMs = 60_000

describe('the line writer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-lines-'))
  const pipes: TestPipe[] = []
  after(() => {
    for (const pipe of pipes) pipe.close()
    rmSync(folder, { recursive: true })
  })

  /** Like the log of a process whose standard error is a pipe. */
  function writerTo(pipe: TestPipe) {
    pipes.push(pipe)
    const writer = openLineWriter(
      pipe.nonBlocking(),
      (lines) => writer.write(`lost ${lines}\n`),
      limits,
    )
    return writer
  }

  async function readUntil(pipe: TestPipe, end: string): Promise<string> {
    let text = pipe.read()
    while (!text.endsWith(end)) {
      text += pipe.read()
      await wait(1)
    }
    return text
  }

  it('writes lines whole and in order', async () => {
    const pipe = openPipe(folder)
    const writer = writerTo(pipe)
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index} é\n`)

    for (const line of lines) writer.write(line)
    await writer.close(closeMs)

    assert.equal(pipe.read(), lines.join(''))
  })

  it('writes a single line without being closed', async () => {
    const pipe = openPipe(folder)

    writerTo(pipe).write('one line\n')

    assert.equal(await readUntil(pipe, 'line\n'), 'one line\n')
  })

  it('writes a line that is longer than one atomic write', async () => {
    const pipe = openPipe(folder)
    const line = `${'x'.repeat(15_000)}\n`

    writerTo(pipe).write(line)

    assert.equal(await readUntil(pipe, '\n'), line)
  })

  it('buffers lines for a blocked reader up to a limit, and reports how many it dropped', async () => {
    const pipe = openPipe(folder)
    const writer = writerTo(pipe)
    pipe.fill()
    const line = `${'x'.repeat(99)}\n`

    for (let count = 0; count < 1000; count += 1) writer.write(line)

    const text = await readUntil(pipe, 'lost 800\n')
    assert.equal(text.split(line).length - 1, limits.pendingBytesMax / line.length)
  })

  it('closes within the timeout while the reader is blocked', async () => {
    const pipe = openPipe(folder)
    const writer = writerTo(pipe)
    pipe.fill()
    writer.write('a line\n')

    assert.equal(await writer.close(100), true)
    assert.doesNotMatch(pipe.read(), /a line/)
  })

  it('closes at once when the reader is gone', async () => {
    const pipe = openPipe(folder)
    const writer = writerTo(pipe)
    pipe.closeReader()

    for (let count = 0; count < 1000; count += 1) writer.write('a line\n')

    assert.equal(await writer.close(closeMs), true)
  })

  it('reports on close that a write to a blocking pipe has not returned', async () => {
    const pipe = openPipe(folder)
    pipes.push(pipe)
    const writer = openLineWriter(pipe.writer, () => {}, limits)
    pipe.fill()
    writer.write('a line\n')

    assert.equal(await writer.close(1), false)
    await readUntil(pipe, 'a line\n')
  })
})
