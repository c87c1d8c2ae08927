import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { callsMax, openSessions } from './sessions.ts'

const call = { from: 'customer', to: 'platform', title: 'Agrees', rule: '', started: 0 } as const

describe('sessions of Example Budget', () => {
  it('keep the newest, and forget what was linked to the oldest', () => {
    const sessions = openSessions(2)
    const first = sessions.create()
    sessions.link('request', first)
    const second = sessions.create()

    const third = sessions.create()

    assert.equal(sessions.find(first.id), undefined)
    assert.equal(sessions.findByKey('request'), undefined)
    assert.deepEqual([sessions.find(second.id), sessions.find(third.id)], [second, third])
  })

  it('keep the newest calls, with the phase in which they were made', () => {
    const sessions = openSessions()
    const session = sessions.create()
    sessions.record(session, { ...call, title: 'first' })
    session.phase = 'data'

    for (let count = 0; count < callsMax; count += 1) sessions.record(session, call)

    assert.equal(session.calls.length, callsMax)
    assert.deepEqual(session.calls[0], { ...call, phase: 'data' })
  })
})
