import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listSteps, type RecordedCall } from './timeline.ts'

function call(title: string, started: number, links: Partial<RecordedCall> = {}): RecordedCall {
  return { from: 'platform', to: 'provider', title, rule: '', started, phase: 'data', ...links }
}

describe('the steps of the timeline', () => {
  it('have the calls that they caused below them, in the order in which calls started', () => {
    const calls = [
      call('B2', 30, { cause: 'balances' }),
      call('B1', 20, { cause: 'balances' }),
      call('Reads the balances', 10, { id: 'balances' }),
      call('Reads the accounts', 5, { id: 'accounts' }),
      call('Connects', 1, { phase: 'request' }),
    ]

    const steps = listSteps(calls, 'data')

    assert.deepEqual(
      steps.map(({ call: { title }, caused }) => [title, ...caused.map((each) => each.title)]),
      [['Reads the accounts'], ['Reads the balances', 'B1', 'B2']],
    )
  })

  it('include a call whose cause is not recorded any more', () => {
    const [step] = listSteps([call('B1', 1, { cause: 'gone' })], 'data')

    assert.equal(step?.call.title, 'B1')
  })
})
