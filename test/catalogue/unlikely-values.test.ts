import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { type PublishedProduct, toCdsProductDetail } from '../../src/contract/index.ts'
import type { Terminal } from '../../src/server/terminal.ts'
import { describe, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openPlatform } from '../support/platform.ts'
import { runInProcess } from '../support/process.ts'
import { callDrafts } from './draft-calls.ts'
import { minimalProduct, productWithFields } from './products.ts'

const unlikely = productWithFields({
  deposit_rates: [{ deposit_rate_type: 'FIXED', rate: '4.5' }],
  fees: [{ name: 'Fee of nothing' }],
})
/** In the words of the console. */
const warnings = ['Deposit rate 1 › Rate is above 50 % a year: 450 %.', 'Fee 1 has no amount.']
const printed = warnings.map((text) => `warning: ${text}\n`).join('')
const question = 'Publish these values? [y/N] '

async function open(t: Scope) {
  const platform = await openPlatform(t)
  const run = (args: readonly string[], ask: Terminal['ask'] = async () => undefined) =>
    runInProcess([...args, '--database', platform.database], {}, { ask })
  return { platform, drafts: callDrafts(platform), run }
}

describe('a draft with unlikely values', () => {
  it('is published by the command only after a yes', async (t) => {
    const { platform, drafts, run } = await open(t)
    const id = await platform.made(minimalProduct)
    await drafts.save(id, unlikely)
    const asked: string[] = []
    const answer = (text: string) => async (asking: string) => {
      asked.push(asking)
      return text
    }
    const publish = ['products', 'publish', id]

    const unasked = await run(publish)
    const declined = await run(publish, answer(''))
    assert.equal((await platform.history(id)).body.meta.totalRecords, 1)
    const accepted = await run(publish, answer('y'))

    const advice = 'publishing unlikely values asks on a terminal: without one, add --yes\n'
    assert.deepEqual([unasked.status, unasked.stdout, unasked.stderr], [2, '', printed + advice])
    assert.deepEqual([declined.status, declined.stderr], [1, `${printed}nothing was published\n`])
    assert.deepEqual([accepted.status, accepted.stderr], [0, printed])
    assert.match(accepted.stdout, /^published version 2\n/)
    assert.deepEqual(asked, [question, question])
  })

  it('is not published if it is changed during the question', async (t) => {
    const { platform, drafts, run } = await open(t)
    const id = await platform.made(minimalProduct)
    await drafts.save(id, unlikely)

    const { status, stderr } = await run(['products', 'publish', id], async () => {
      await drafts.save(id, productWithFields({ name: 'Saved meanwhile' }))
      return 'y'
    })

    assert.equal(status, 1)
    assert.match(stderr, /\nthe draft has changed: run holdfast products diff again\n$/)
    assert.equal((await platform.read(id))['name'], 'Saver')
  })
})

describe('a version with unlikely values', () => {
  it('is restored by the command without a question if it has --yes', async (t) => {
    const { platform, run } = await open(t)
    const id = await platform.made(unlikely)
    await platform.replace(id, minimalProduct)
    const restore = ['products', 'restore', id, '--version', '1']

    const unasked = await run(restore)
    const restored = await run([...restore, '--yes'])

    assert.equal(unasked.status, 2)
    assert.deepEqual([restored.status, restored.stderr], [0, printed])
    assert.match(restored.stdout, /^restored version 1 as version 3\n/)
  })
})

describe('a product of another holder with unlikely values', () => {
  it('is imported with a warning of each', async (t) => {
    const { run } = await open(t)
    const file = join(await temporaryFolder(t), 'details')
    const product = { product_id: 'p1', last_updated: '2026-05-01T00:00:00Z', ...unlikely }
    writeFileSync(file, JSON.stringify(toCdsProductDetail(product as PublishedProduct, 7)))
    const args = ['products', 'import', file, '--origin', 'Other Bank']

    const first = await run([...args, '--json'])
    const again = await run(args)
    const lines = first.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))

    assert.deepEqual([first.status, first.stderr], [0, ''])
    assert.deepEqual(
      lines.map(({ outcome, field, reason }) => [outcome, field, reason]),
      [
        ['warning', 'deposit_rates[0].rate', warnings[0]],
        ['warning', 'fees[0]', warnings[1]],
        ['summary', undefined, undefined],
      ],
    )
    assert.equal(lines.at(-1).warnings, 2)
    assert.equal(again.stdout, '1 product: 0 created, 0 changed, 1 unchanged, 0 not imported\n')
  })
})

describe('a load of products with unlikely values', () => {
  it('counts them in the words of the console, and rejects them with --strict', async (t) => {
    const { run } = await open(t)
    const file = join(await temporaryFolder(t), 'products.ndjson')
    const lines = ['p1', 'p2'].map((product_id) => ({
      type: 'product',
      record: { product_id, ...unlikely },
    }))
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

    const strict = await run(['load', file, '--strict'])
    const loaded = await run(['load', file])

    assert.equal(strict.status, 1)
    assert.match(strict.stderr, /^Rejected because of warnings, in 2 lines\./m)
    assert.equal(loaded.status, 0)
    assert.ok(
      loaded.stdout.endsWith(
        [
          'Some products have unlikely values:',
          '2 × product: Deposit rate › Rate is above 50 % a year',
          '2 × product: Fee has no amount',
          '',
        ].join('\n'),
      ),
      loaded.stdout,
    )
  })
})
