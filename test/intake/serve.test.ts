import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { put } from '../load/lines.ts'
import { sampleValue, scrape } from '../observe/scrape.ts'
import { openDeployment } from '../support/deployment.ts'
import { describe, describeOn } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { openSender } from '../support/intake.ts'
import { runInProcess } from '../support/process.ts'
import { until } from '../support/until.ts'

describe('holdfast serve intake', () => {
  it('serves what holdfast feeds prints and forgets, and measures it', async (t) => {
    const { addClient, database, openIntake } = await openDeployment(t)
    const intake = await openIntake({ 'metrics-port': '0', workers: '4' })
    const client = await addClient('core', 'data.write')
    const sendBatch = await openSender(intake, client)
    const runFeeds = (...args: readonly string[]) =>
      runInProcess(['feeds', ...args, '--database', database])

    assert.equal((await runFeeds()).stdout, 'feed  batch  time  lines  owner\n')
    await sendBatch('core', 1, [put.customer('c3'), put.customer('c4')])
    await sendBatch('core', 2, [put.customer('c3')])
    await sendBatch('core', 2, [put.customer('c3')])
    await sendBatch('cards', 1, ['{}', '{}'])
    await sendBatch('cards', 1, [put.customer('c5')])

    const { stdout } = await runFeeds()
    assert.match(
      stdout,
      /^feed {3}batch {2}time {22}lines {2}owner\ncards {6}1 {2}\S{24} {6}1 {2}\S{36}\ncore {7}2 {2}\S{24} {6}3 {2}\S{36}\n$/,
    )
    const feeds = JSON.parse((await runFeeds('--json')).stdout)
    assert.deepEqual(
      feeds.map(({ time: _, ...feed }: { time: string }) => feed),
      [
        { feed: 'cards', batch: 1, lines: 1, owner: client.id },
        { feed: 'core', batch: 2, lines: 3, owner: client.id },
      ],
    )

    const samples = await scrape(intake)
    const count = (name: string, feed: string) => sampleValue(samples, name, { feed })
    assert.equal(count('holdfast_feed_batches_total', 'core'), 2)
    assert.equal(count('holdfast_feed_lines_total', 'core'), 3)
    assert.equal(count('holdfast_feed_errors_total', 'cards'), 2)
    assert.equal(sampleValue(samples, 'holdfast_feed_commits_total'), 3)
    const lag = count('holdfast_feed_lag_seconds', 'core')
    assert.ok(lag !== undefined && lag >= 0 && lag < 100, String(lag))

    assert.deepEqual(await runFeeds('remove', 'cards'), { status: 0, stdout: '', stderr: '' })
    assert.equal((await sendBatch('cards', 1, [put.customer('c6')])).status, 200)
    const unknown = await runFeeds('remove', 'nope')
    assert.deepEqual(unknown, {
      status: 1,
      stdout: '',
      stderr: 'no feed with this name: run holdfast feeds\n',
    })
  })
})

describeOn('sqlite', 'holdfast serve intake during a shutdown', () => {
  /** A process with a batch that waits for the lock of the database. */
  async function openWaiting(t: Parameters<typeof openDeployment>[0]) {
    const { addClient, database, startIntake } = await openDeployment(t)
    const intake = await startIntake({ 'shutdown-timeout': '3' })
    const sendBatch = await openSender(intake, await addClient('core', 'data.write'))
    await sendBatch('core', 1, [put.customer('c3')])
    const other = new DatabaseSync(database.slice('sqlite:'.length))
    other.exec('begin immediate')
    const answer = sendBatch('core', 2, [put.customer('c4')])
    await until(() => intake.log().some(({ msg }) => msg === 'batches wait for a load to end'))
    process.kill(intake.pid, 'SIGTERM')
    await until(
      async () => (await send(intake.port, '/health/ready').catch(() => undefined))?.status !== 200,
    )
    return { answer, intake, other }
  }

  it('completes a batch that waits for a load', async (t) => {
    const { answer, intake, other } = await openWaiting(t)
    other.exec('rollback')
    other.close()

    assert.equal((await answer).status, 200)
    assert.equal(await intake.ended, 0)
  })

  it('answers 503 before it exits if the load does not end', async (t) => {
    const { answer, intake, other } = await openWaiting(t)
    const { status, headers } = await answer
    other.close()

    assert.deepEqual([status, headers['retry-after']], [503, '1'])
    assert.equal(await intake.ended, 0)
  })
})
