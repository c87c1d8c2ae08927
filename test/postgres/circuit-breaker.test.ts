import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ContractError } from '../../src/contract/index.ts'
import { openCircuitBreaker } from '../../src/storage/postgres/driver/circuit-breaker.ts'
import type { Query } from '../../src/storage/postgres/driver/statements.ts'
import { describeOnce } from '../support/engines.ts'
import { until } from '../support/until.ts'

type Rows = Awaited<ReturnType<Query>>

/** Statements on a data node that responds when the test says so. */
function openWorker() {
  const calls: PromiseWithResolvers<Rows>[] = []
  const query = openCircuitBreaker(() => {
    const call = Promise.withResolvers<Rows>()
    calls.push(call)
    return call.promise
  })
  return { calls, call: (isLong = false) => query({ text: 'select 1', isLong }, []) }
}

const unavailable = (error: unknown) =>
  error instanceof ContractError && error.code === 'unavailable'
const failure = new ContractError('unavailable', 'the connection to the database failed')

describeOnce('the circuit breaker of a data node', () => {
  it('sends one call at a time after a failure, and all calls after a result', async () => {
    const { calls, call } = openWorker()
    const failed = call()
    calls[0]?.reject(failure)
    await assert.rejects(failed, failure)

    const trial = call()
    await assert.rejects(call(), unavailable)
    calls[1]?.reject(failure)
    await assert.rejects(trial, failure)
    const nextTrial = call()
    await assert.rejects(call(), unavailable)
    assert.equal(calls.length, 3)
    calls[2]?.resolve([['1']])
    assert.deepEqual(await nextTrial, [['1']])

    const both = [call(), call()]
    for (const sent of calls.slice(3)) sent.resolve([])
    assert.deepEqual(await Promise.all(both), [[], []])
  })

  it('sends all calls after a long statement that failed', async () => {
    const { calls, call } = openWorker()
    const failed = call(true)
    calls[0]?.reject(failure)
    await assert.rejects(failed, failure)

    const both = [call(), call()]
    for (const sent of calls.slice(1)) sent.resolve([])
    assert.deepEqual(await Promise.all(both), [[], []])
  })

  it('fails calls immediately while a short statement is unanswered', async () => {
    const { calls, call } = openWorker()
    const unanswered = [call()]
    let rejected = 0
    await until(async () => {
      unanswered.push(
        call().catch(() => {
          rejected += 1
          return []
        }),
      )
      await Promise.resolve()
      return rejected > 0
    })

    for (const sent of calls) sent.resolve([])
    await Promise.all(unanswered)
    const next = call()
    calls.at(-1)?.resolve([['1']])
    assert.deepEqual(await next, [['1']])
  })

  it('sends calls beside a long statement, and after an error of a statement', async () => {
    const { calls, call } = openWorker()
    const failed = call(true)
    calls[0]?.reject(new Error('the database failed with 42P01'))
    await assert.rejects(failed, /42P01/)

    const both = [call(), call(true)]
    for (const sent of calls.slice(1)) sent.resolve([])
    assert.deepEqual(await Promise.all(both), [[], []])
  })
})
