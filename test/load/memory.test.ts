import assert from 'node:assert/strict'
import { createReadStream, openSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { after, it } from 'node:test'
import { currentEngine, describe } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { finish, runHoldfast } from '../support/process.ts'
import { type Bank, openBank } from './bank.ts'
import { line } from './lines.ts'

const timeout = 120_000
const megabyte = 1024 * 1024
/** Without the input a load needs 160 MB on SQLite and 110 MB on PostgreSQL, with all of it 60 MB more. */
const peakMax = { sqlite: 205 * megabyte, postgres: 155 * megabyte }

/** Makes a process print its peak memory on exit. */
const reportPeak = `data:text/javascript,process.on('exit', () =>
  console.error('peak', process.resourceUsage().maxRSS * 1024))`.replaceAll(/\s+/g, ' ')

/** Loads a stream; returns its size and the peak memory. */
async function loadStream(bank: Bank, source: Readable, ...flags: readonly string[]) {
  const load = bank.start(['load', '-', ...flags], ['--import', reportPeak])
  const result = finish(load)
  let bytes = 0
  source.on('data', (part: Buffer) => {
    bytes += part.length
  })
  await pipeline(source, load.stdin)
  const { status, stdout, stderr } = await result
  assert.match(stdout, /^[\d,]+ lines loaded/, stderr)
  assert.equal(status, 0)
  return { bytes, peak: Number(/^peak (\d+)$/m.exec(stderr)?.[1]) }
}

const folder = await temporaryFolder({ after })

/** Generated once for both engines. */
let generated: Promise<string> | undefined

function fortyMegabytes(): Promise<string> {
  generated ??= (async () => {
    const file = join(folder, 'generated.ndjson')
    await runHoldfast(['generate', '--customers', '210'], { stdout: openSync(file, 'w') })
    return file
  })()
  return generated
}

function formatPeak(peak: number): string {
  return `${Math.round(peak / megabyte)} MB`
}

describe('the memory of a load', { timeout }, () => {
  it('is bounded for forty megabytes', async (t) => {
    const bank = await openBank(t)

    const { bytes, peak } = await loadStream(bank, createReadStream(await fortyMegabytes()))

    assert.ok(bytes > 40 * megabyte, `${bytes} bytes`)
    assert.ok(peak < peakMax[currentEngine()], formatPeak(peak))
  })

  it('is bounded for batches of transactions that precede their accounts', async (t) => {
    const bank = await openBank(t)
    const description = 'x'.repeat(4000)
    const accounts = 100
    const lines = function* () {
      for (let index = 11_000; index > 0; index -= 1) {
        const record = {
          accountId: `a${index % accounts}`,
          transactionId: `t${index}`,
          status: 'POSTED',
          amount: '1.00',
          postingDateTime: new Date(1_700_000_000_000 + index * 1000).toISOString(),
          description,
        }
        yield Buffer.from(`${line('banking.transaction', record)}\n`)
      }
      const holders = [{ customerId: 'c1' }]
      for (let index = 0; index < accounts; index += 1) {
        yield Buffer.from(`${line('banking.account', { accountId: `a${index}` }, { holders })}\n`)
      }
      const person = { id: 'c1', name: 'Ana', email: 'ana@example.com' }
      yield Buffer.from(`${line('customer', person)}\n`)
    }

    const { bytes, peak } = await loadStream(bank, Readable.from(lines()), '--batch', '1000')

    assert.ok(bytes > 40 * megabyte, `${bytes} bytes`)
    assert.ok(peak < peakMax[currentEngine()], formatPeak(peak))
  })
})
