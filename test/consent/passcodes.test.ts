import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openPasscodes, type PasscodeMessage } from '../../src/platform/consent/passcodes.ts'
import type { ConsentStore } from '../../src/platform/consent/store.ts'
import { describeOnce, type Scope } from '../support/engines.ts'
import { now, openStores } from './stores.ts'

/** Passcodes with a clock that can be advanced, and the messages that were delivered. */
async function open(scope: Scope) {
  const [stored] = await openStores(scope)
  const limitKeys: string[] = []
  const store: ConsentStore = {
    ...stored,
    limits: {
      ...stored.limits,
      take(key, limit, time) {
        limitKeys.push(key)
        return stored.limits.take(key, limit, time)
      },
    },
  }
  const delivered: PasscodeMessage[] = []
  let time = now
  const passcodes = await openPasscodes(
    store,
    () => time,
    (message) => void delivered.push(message),
  )
  return {
    passcodes,
    delivered,
    limitKeys,
    pass(minutes: number) {
      time = time.add({ minutes })
    },
    /** Requests a passcode for a customer, and returns it. Empty if none was delivered. */
    async request(
      secret: string,
      ids: readonly string[] = ['c1'],
      email = 'c1@example.com',
      source = stranger,
    ) {
      delivered.length = 0
      await passcodes.request({ secret, purpose: 'consent', source }, email, ids.map(toMatch))
      await new Promise((resolve) => setImmediate(resolve))
      return delivered[0]?.passcode ?? ''
    },
    verify: (secret: string, passcode: string, source: string) =>
      passcodes.verify({ secret, purpose: 'consent', source }, passcode, next),
  }
}

const next = {
  proceed: async (customerId: string) => ({ customerId }),
  finish: async () => {},
}
const toMatch = (id: string) => ({ id, name: id, phoneNumber: '+61400000000' })
const wrong = (passcode: string) => (passcode === '000000' ? '000001' : '000000')
const stranger = '203.0.113.9'
const home = '198.51.100.7'

describeOnce('passcodes', () => {
  it('of an address are not used up by a source that is over its own limit', async (t) => {
    const { passcodes } = await open(t)
    for (let count = 0; count < 30; count += 1) {
      assert.equal(await passcodes.mayRequest(`x${count}@example.com`, stranger), true)
    }
    for (let count = 0; count < 5; count += 1) {
      assert.equal(await passcodes.mayRequest('c1@example.com', stranger), false)
    }

    assert.equal(await passcodes.mayRequest('c1@example.com', home), true)
  })

  it('are sent although a stranger has used up those of the address and of the customer', async (t) => {
    const { passcodes, request } = await open(t)
    const send = async (secret: string, source: string) =>
      (await passcodes.mayRequest('c1@example.com', source)) &&
      (await request(secret, ['c1'], 'c1@example.com', source)) !== ''
    const sent = async (name: string, source: string) => {
      const all = []
      for (let count = 0; count < 10; count += 1) all.push(await send(`${name}${count}`, source))
      return all.filter(Boolean).length
    }

    assert.deepEqual([await sent('stranger', stranger), await sent('customer', home)], [7, 2])
  })

  it('are limited for a customer whatever the number of sources, with the same steps for an unknown address', async (t) => {
    const { request, limitKeys } = await open(t)
    const results = []
    for (const ids of [['c1'], []]) {
      let sent = 0
      limitKeys.length = 0
      for (let count = 0; count < 30; count += 1) {
        const source = `192.0.2.${count}`
        if (await request(`${ids} ${count}`, ids, `x${ids}@example.com`, source)) sent += 1
      }
      results.push([sent, limitKeys.length])
    }

    // Of the four candidates, each takes one limit 5 times, and three afterwards.
    assert.deepEqual(results, [
      [25, 4 * (5 + 25 * 3)],
      [0, 4 * (5 + 25 * 3)],
    ])
  })

  it('of a customer are accepted although a stranger has used up the tries', async (t) => {
    const { request, verify, pass } = await open(t)
    for (let flow = 0; flow < 5; flow += 1) {
      const passcode = await request(`stranger${flow}`)
      for (let count = 0; count < 3; count += 1) {
        await verify(`stranger${flow}`, wrong(passcode), stranger)
      }
    }
    pass(20)
    const passcode = await request('customer')

    assert.equal((await verify('customer', wrong(passcode), home)).outcome, 'wrong')
    assert.deepEqual(await verify('customer', passcode, home), {
      outcome: 'correct',
      result: { customerId: 'c1' },
    })
  })

  it('do not count against the limit of a customer if they are correct', async (t) => {
    const { request, verify, limitKeys } = await open(t)
    for (let flow = 0; flow < 3; flow += 1) {
      const passcode = await request(`stranger${flow}`)
      for (let count = 0; count < 3; count += 1) {
        await verify(`stranger${flow}`, wrong(passcode), stranger)
      }
    }
    assert.equal((await verify('customer', await request('customer'), home)).outcome, 'correct')
    const passcode = await request('last')
    limitKeys.length = 0

    assert.equal((await verify('last', wrong(passcode), home)).outcome, 'wrong')

    // The tenth try of the customer, and not one of the reserve: the limits of the source and of four candidates.
    assert.equal(limitKeys.length, 5)
  })

  it('get the same answer over the limit, correct or wrong, and for an unknown address', async (t) => {
    const { request, verify, pass } = await open(t)
    const outcomes: string[] = []
    for (const [email, ids] of [
      ['c1@example.com', ['c1']],
      ['c2@example.com', []],
    ] as const) {
      let passcode = ''
      for (let flow = 0; flow < 5; flow += 1) {
        passcode = await request(`${email} ${flow}`, ids, email)
        for (let count = 0; count < 3; count += 1) {
          const { outcome } = await verify(`${email} ${flow}`, wrong(passcode), stranger)
          outcomes.push(`${email.slice(0, 2)} ${outcome}`)
        }
      }
      pass(10)
      passcode = await request(`${email} last`, ids, email)
      const { outcome } = await verify(`${email} last`, passcode || '000000', stranger)
      outcomes.push(`${email.slice(0, 2)} last ${outcome}`)
    }

    const [known, unknown] = ['c1', 'c2'].map((name) =>
      outcomes.filter((text) => text.startsWith(name)).map((text) => text.slice(3)),
    )
    assert.deepEqual(known, unknown)
    assert.deepEqual(known?.slice(-3), ['too many', 'too many', 'last too many'])
    assert.equal(known?.filter((outcome) => outcome === 'too many').length, 2)
  })

  it('take the same steps for no, one, two and four customers, and are delivered afterwards', async (t) => {
    const { passcodes, limitKeys, delivered } = await open(t)
    const counts = []
    for (const ids of [[], ['c1'], ['c2', 'c3'], ['c4', 'c5', 'c6', 'c7']]) {
      const owner = { secret: `s${ids.length}`, purpose: 'consent', source: home } as const
      delivered.length = 0
      limitKeys.length = 0
      await passcodes.request(owner, `e${ids.length}@example.com`, ids.map(toMatch))
      assert.deepEqual(delivered, [])
      await new Promise((resolve) => setImmediate(resolve))
      assert.equal(delivered.length, ids.length)
      const requested = new Set(limitKeys).size
      limitKeys.length = 0
      await passcodes.verify(owner, '000000', next)
      counts.push([requested, new Set(limitKeys).size])
    }

    assert.deepEqual(counts, Array(4).fill([4, 5]))
  })

  it('are for one purpose', async (t) => {
    const { passcodes, delivered } = await open(t)
    const owner = { secret: 's', purpose: 'sign-in', source: home } as const
    await passcodes.request(owner, 'c1@example.com', [toMatch('c1')])
    await new Promise((resolve) => setImmediate(resolve))
    const [{ passcode = '', purpose } = {}] = delivered

    assert.equal(purpose, 'sign-in')
    const consent = { secret: 's', purpose: 'consent', source: home } as const
    const other = await passcodes.verify(consent, passcode, next)
    assert.equal(other.outcome, 'no tries left')
    assert.equal((await passcodes.verify(owner, passcode, next)).outcome, 'correct')
  })
})
