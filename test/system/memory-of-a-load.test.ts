import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { it } from 'node:test'
import { type Bank, openBank } from '../load/bank.ts'
import { line } from '../load/lines.ts'
import { currentEngine, describe } from '../support/engines.ts'
import { finish } from '../support/process.ts'

const megabyte = 1024 * 1024
/** A load needs up to 130 MB on SQLite and 90 MB on PostgreSQL. */
const peakMax = { sqlite: 170 * megabyte, postgres: 130 * megabyte }

/**
 * Limits the JavaScript heap: on a busy machine, garbage is otherwise collected late. A load that kept its input, 18 MB,
 * would exceed this limit and fail.
 */
const heapMax = '--max-old-space-size=24'

/** Makes a process print its peak memory on exit. */
const reportPeak = `data:text/javascript,process.on('exit', () =>
  console.error('peak', process.resourceUsage().maxRSS * 1024))`.replaceAll(/\s+/g, ' ')

/** Loads lines through a pipe; returns their size and the peak memory. */
async function loadLines(bank: Bank, lines: readonly string[], ...flags: readonly string[]) {
  const load = bank.start(['load', '-', ...flags], [heapMax, '--import', reportPeak])
  const result = finish(load)
  const text = lines.map((each) => `${each}\n`)
  const bytes = text.reduce((sum, each) => sum + each.length, 0)
  await pipeline(Readable.from(text), load.stdin)
  const { status, stdout, stderr } = await result
  assert.match(stdout, /^[\d,]+ lines loaded/, stderr)
  assert.equal(status, 0)
  return { bytes, peak: Number(/^peak (\d+)$/m.exec(stderr)?.[1]) }
}

const accounts = Array.from({ length: 100 }, (_, index) => `a${index}`)
const person = { id: 'c1', name: 'Ana', email: 'ana@example.com' }
const baseLines = [
  line('customer', person),
  ...accounts.map((accountId) =>
    line('banking.account', { accountId }, { holders: [{ customerId: 'c1' }] }),
  ),
]

/** 18 MB in long lines, which take less time than many short ones. The newest is first. */
function* createHistory(): Generator<string> {
  const description = 'x'.repeat(8000)
  for (let index = 2200; index > 0; index -= 1) {
    yield line('banking.transaction', {
      accountId: accounts[index % accounts.length],
      transactionId: `t${index}`,
      status: 'POSTED',
      amount: '1.00',
      postingDateTime: new Date(1_700_000_000_000 + index * 1000).toISOString(),
      description,
    })
  }
}

function formatPeak(peak: number): string {
  return `${Math.round(peak / megabyte)} MB`
}

describe('the memory of a load', () => {
  it('is bounded for sixteen megabytes', async (t) => {
    const bank = await openBank(t)

    const { bytes, peak } = await loadLines(bank, [...baseLines, ...createHistory()])

    assert.ok(bytes > 16 * megabyte, `${bytes} bytes`)
    assert.ok(peak < peakMax[currentEngine()], formatPeak(peak))
  })

  it('is bounded for batches of transactions that precede their accounts', async (t) => {
    const bank = await openBank(t)

    const lines = [...createHistory(), ...baseLines.toReversed()]
    const { bytes, peak } = await loadLines(bank, lines, '--batch', '100')

    assert.ok(bytes > 16 * megabyte, `${bytes} bytes`)
    assert.ok(peak < peakMax[currentEngine()], formatPeak(peak))
  })
})
