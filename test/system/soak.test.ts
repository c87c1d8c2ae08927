import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  compareRecords,
  openPlatformRecords,
  openReceivedAnswers,
} from '../../soak/answer-records.ts'
import { openTally } from '../../soak/tally.ts'
import { makeRecord } from '../consent/disclose.ts'
import { openRecords } from '../consent/stored-records.ts'
import { describeOn } from '../support/engines.ts'
import { run } from '../support/process.ts'

const program = fileURLToPath(new URL('../../soak/main.ts', import.meta.url))

/** Tests the same program as this test. */
const environment = { PROGRAM_FOR_TESTS: process.env['PROGRAM_FOR_TESTS'] }

const runSoak = (...args: readonly string[]) =>
  run([process.execPath, program, ...args], { environment })

describeOn('sqlite', 'the comparison of records with answers', () => {
  it('accepts no more records without an answer than requests without one', async (t) => {
    const { database, open } = await openRecords(t)
    const recorder = open()
    for (const interactionId of ['received', 'lost'])
      await recorder.record(makeRecord({ interactionId }))
    await recorder.close()
    const answers = openReceivedAnswers()
    const compare = async () => {
      const { examples, ...tally } = openTally()
      await compareRecords(tally, 'platform', answers, openPlatformRecords, database)
      return examples
    }
    answers.begin()
    answers.end(200, 'received')
    assert.deepEqual(await compare(), [
      'wrong responses: platform: 1 records without an answer, of 0 requests',
    ])

    answers.begin()

    assert.deepEqual(await compare(), [])
  })
})

describe('the soak test', () => {
  it('finds no fault in a short run of all parts, and reports what it checked', async () => {
    const { stdout, stderr, status } = await runSoak('--minutes', '0.02', '--engine', 'sqlite')

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, stdout)
    for (const part of [
      'responses compared with the loaded data',
      'a load',
      'feeds: batches acknowledged',
      'feeds: repeated batches',
      'feeds: batches for the feed of another client',
      'feeds: responses compared',
      'feeds: kills of the intake',
      'catalogue: updates acknowledged',
      'catalogue: drafts saved',
      'catalogue: versions compared',
      'consents: given',
      'consents: withdrawn',
      'consents: requests after the end',
      'platform: records of received answers',
      'kills of a platform',
      'guard: responses with 200',
      'guard: kills of the upstream',
      'guard: freezes of the upstream',
    ]) {
      assert.match(stdout, new RegExp(`^${part} +[1-9]`, 'm'), part)
    }
    for (const fault of ['wrong responses', 'accepted replays', 'dropped requests']) {
      assert.match(stdout, new RegExp(`^${fault} +0$`, 'm'))
    }
    assert.match(stdout, /^worker memory at the end +[1-9]/m)
  })

  it('compares the records of a provider with the answers that clients received', async () => {
    const flags = ['--minutes', '0.02', '--engine', 'sqlite', '--records']
    const { stdout, stderr, status } = await runSoak(...flags)

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, stdout)
    for (const name of ['provider', 'platform'])
      assert.match(stdout, new RegExp(`^${name}: records of received answers +[1-9]`, 'm'))
  })

  it('prints its usage on request and for an unknown engine', async () => {
    assert.match((await runSoak('--help')).stderr, /--minutes N/)
    assert.equal((await runSoak('--engine', 'other')).status, 2)
  })
})
