import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openPipe, type TestPipe } from '../../test/support/pipe.ts'
import { lineWriterLimits, openLineWriter } from './line-writer.ts'

const limits = { ...lineWriterLimits, waitingBytesMax: 20_000, gatherMs: 1, retryMs: 1 }
const closeMs = 60_000

describe('lines for a reader', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-lines-'))
  const pipes: TestPipe[] = []
  after(() => {
    for (const pipe of pipes) pipe.close()
    rmSync(folder, { recursive: true })
  })

  /** As it is for a process whose standard error is a pipe. */
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

  it('arrive whole and in order', async () => {
    const pipe = openPipe(folder)
    const writer = writerTo(pipe)
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index} é\n`)

    for (const line of lines) writer.write(line)
    await writer.close(closeMs)

    assert.equal(pipe.read(), lines.join(''))
  })

  it('arrive without a flush, also where there are few', async () => {
    const pipe = openPipe(folder)

    writerTo(pipe).write('one line\n')

    assert.equal(await readUntil(pipe, 'line\n'), 'one line\n')
  })

  it('longer than a pipe takes at once arrive as well', async () => {
    const pipe = openPipe(folder)
    const line = `${'x'.repeat(15_000)}\n`

    writerTo(pipe).write(line)

    assert.equal(await readUntil(pipe, '\n'), line)
  })

  it('wait for a reader that is stuck, up to a limit, and those beyond are counted', async () => {
    const pipe = openPipe(folder)
    const writer = writerTo(pipe)
    pipe.fill()
    const line = `${'x'.repeat(99)}\n`

    for (let count = 0; count < 1000; count += 1) writer.write(line)

    const text = await readUntil(pipe, 'lost 800\n')
    assert.equal(text.split(line).length - 1, limits.waitingBytesMax / line.length)
  })

  it('do not hold up the end where the reader is stuck', async () => {
    const pipe = openPipe(folder)
    const writer = writerTo(pipe)
    pipe.fill()
    writer.write('a line\n')

    assert.equal(await writer.close(100), true)
    assert.doesNotMatch(pipe.read(), /a line/)
  })

  it('do not hold up the end where the reader is gone', async () => {
    const pipe = openPipe(folder)
    const writer = writerTo(pipe)
    pipe.closeReader()

    for (let count = 0; count < 1000; count += 1) writer.write('a line\n')

    assert.equal(await writer.close(closeMs), true)
  })

  it('say where the end of the process would wait, on a pipe that blocks', async () => {
    const pipe = openPipe(folder)
    pipes.push(pipe)
    const writer = openLineWriter(pipe.writer, () => {}, limits)
    pipe.fill()
    writer.write('a line\n')

    assert.equal(await writer.close(1), false)
    await readUntil(pipe, 'a line\n')
  })
})
