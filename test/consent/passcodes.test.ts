import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type BudgetRates, heldSeconds } from '../../src/platform/consent/passcode-budgets.ts'
import { openPasscodes, type PasscodeMessage } from '../../src/platform/consent/passcodes.ts'
import type { ConsentStore } from '../../src/platform/consent/store.ts'
import { describeOnce, type Scope } from '../support/engines.ts'
import { now, openStores } from './stores.ts'

/** Passcodes with a clock that can be advanced, and the messages that were delivered. */
async function open(scope: Scope, budgets: Partial<BudgetRates> = {}) {
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
  const counted: string[] = []
  let time = now
  const passcodes = await openPasscodes({
    store,
    clock: () => time,
    deliver: (message) => void delivered.push(message),
    passcodesPerMinute: 120,
    wrongPasscodesPerMinute: 12,
    ...budgets,
    metrics: {
      countPasscode: (event) => void counted.push(event),
      countOverBudget: (limit) => void counted.push(limit),
    },
  })
  return {
    passcodes,
    async mayRequest(email: string, source: string): Promise<boolean> {
      const over = await passcodes.takeRequest(email, { secret: email, purpose: 'consent', source })
      return over === undefined
    },
    delivered,
    limitKeys,
    counted,
    pass(minutes: number) {
      time = time.add({ seconds: minutes * 60 })
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
    verify: (secret: string, passcode: string, source: string, thirdPartyId = 'tp') =>
      passcodes.verify({ secret, purpose: 'consent', source, thirdPartyId }, passcode, next),
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
    const { mayRequest } = await open(t)
    for (let count = 0; count < 30; count += 1) {
      assert.equal(await mayRequest(`x${count}@example.com`, stranger), true)
    }
    for (let count = 0; count < 5; count += 1) {
      assert.equal(await mayRequest('c1@example.com', stranger), false)
    }

    assert.equal(await mayRequest('c1@example.com', home), true)
  })

  it('are sent although a stranger has used up those of the address and of the customer', async (t) => {
    const { mayRequest, request } = await open(t)
    const send = async (secret: string, source: string) =>
      (await mayRequest('c1@example.com', source)) &&
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

    // The tenth try of the customer, and not one of the reserve: the limits of the source, of two budgets and of four candidates.
    assert.equal(limitKeys.length, 7)
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

    assert.deepEqual(counts, Array(4).fill([4, 7]))
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

describeOnce('an attack on many customers at once', () => {
  /** Guesses the passcodes of so many customers, each three times and from an address of its own. Returns the outcomes. */
  async function attack({ request, verify }: Opened, first: number, count: number) {
    const outcomes = []
    for (let index = first; index < first + count; index += 1) {
      const source = `192.0.2.${index}`
      const secret = `attacker ${index}`
      const passcode = await request(secret, [`v${index}`], `v${index}@example.com`, source)
      for (let tried = 0; tried < 3; tried += 1) {
        outcomes.push((await verify(secret, wrong(passcode), source)).outcome)
      }
    }
    return outcomes
  }
  const countGuesses = (outcomes: readonly string[]) =>
    outcomes.filter((outcome) => outcome !== 'too many').length

  it('gets few guesses, and then no more than the reserve of each address', async (t) => {
    const opened = await open(t)
    const { verify, pass, counted } = opened

    const atOnce = await attack(opened, 0, 40)
    pass(heldSeconds / 60)
    const later = []
    for (let index = 10; index < 40; index += 1) {
      for (let tried = 0; tried < 3; tried += 1) {
        later.push((await verify(`attacker ${index}`, 'x', `192.0.2.${index}`)).outcome)
      }
    }

    assert.equal(countGuesses(atOnce), 30)
    // Three from the budget, of one every ten seconds, and two from the reserve of each other address.
    assert.equal(countGuesses(later), 3 + 29 * 2)
    assert.equal(counted.filter((event) => event === 'wrong').length, 30 + 3 + 29 * 2)
    assert.ok(counted.includes('wrong_passcodes_of_third_party'))
  })

  it('delays the correct passcode of a customer, and does not use it up', async (t) => {
    const opened = await open(t)
    const { request, verify, pass } = opened
    await attack(opened, 0, 10)
    const passcode = await request('customer', ['c1'], 'c1@example.com', home)

    const held = []
    for (let tried = 0; tried < 5; tried += 1) held.push(await verify('customer', passcode, home))
    pass(heldSeconds / 60)
    // The budget of the past seconds is used up again, so that only the reserve of the address is left.
    await attack(opened, 40, 10)

    assert.deepEqual(
      held,
      Array(5).fill({
        outcome: 'too many',
        limit: 'wrong_passcodes_of_third_party',
        waitSeconds: heldSeconds,
      }),
    )
    assert.equal((await verify('customer', passcode, home)).outcome, 'correct')
  })

  it('does not delay passcodes that were sent before, or of other third parties', async (t) => {
    const opened = await open(t)
    const { request, verify, pass } = opened
    const earlier = await request('earlier', ['c1'], 'c1@example.com', home)
    pass(heldSeconds / 60)
    await attack(opened, 0, 10)
    const other = await request('other', ['c2'], 'c2@example.com', home)

    assert.equal((await verify('earlier', earlier, home)).outcome, 'correct')
    assert.equal((await verify('other', other, home, 'other third party')).outcome, 'correct')
  })

  it('does not keep many customers of one address out, since their passcodes are correct', async (t) => {
    const opened = await open(t)
    const { request, verify, pass } = opened
    const codes: string[] = []
    for (let index = 0; index < 20; index += 1) {
      codes.push(await request(`c${index}`, [`c${index}`], `c${index}@example.com`, home))
    }
    pass(heldSeconds / 60)
    await attack(opened, 0, 10)

    const outcomes = []
    for (const [index, passcode] of codes.entries()) {
      outcomes.push((await verify(`c${index}`, passcode, home)).outcome)
    }
    assert.deepEqual(outcomes, Array(20).fill('correct'))
  })

  it('is limited in all third parties together, as it is in each', async (t) => {
    const opened = await open(t, { wrongPasscodesPerMinute: 2 })
    const { request, verify } = opened
    const outcomes: string[] = []
    for (let index = 0; index < 5; index += 1) {
      const source = `192.0.2.${index}`
      const passcode = await request(`s${index}`, [`v${index}`], `v${index}@example.com`, source)
      for (let tried = 0; tried < 3; tried += 1) {
        const result = await verify(`s${index}`, wrong(passcode), source, `tp${index}`)
        outcomes.push('limit' in result ? result.limit : result.outcome)
      }
    }

    assert.equal(outcomes.filter((outcome) => !/budget|passcodes/.test(outcome)).length, 10)
    assert.ok(outcomes.includes('wrong_passcodes_in_total'))
    assert.ok(!outcomes.includes('wrong_passcodes_of_third_party'))
    // What is rejected for all does not use up the share of a third party.
    const quiet = await request('quiet', ['c1'], 'c1@example.com', home)
    for (let count = 0; count < 8; count += 1) {
      const result = await verify('quiet', quiet, home, 'quiet third party')
      assert.equal('limit' in result && result.limit, 'wrong_passcodes_in_total')
    }
  })

  it('gets few messages, and every other address still gets some', async (t) => {
    const { mayRequest } = await open(t, { passcodesPerMinute: 2 })
    const sent = []
    for (let index = 0; index < 30; index += 1) {
      sent.push(await mayRequest(`v${index}@example.com`, stranger))
    }

    // The share of a third party, which sign-ins to the page with consents have too, and the reserve of the address.
    assert.equal(sent.filter(Boolean).length, 10 + 10)
    assert.equal(await mayRequest('c1@example.com', home), true)
  })

  it('cannot use up the messages of an e-mail address with requests that get none', async (t) => {
    const { mayRequest, limitKeys } = await open(t, { passcodesPerMinute: 2 })
    for (let index = 0; index < 20; index += 1) {
      await mayRequest(`v${index}@example.com`, stranger)
    }
    for (let count = 0; count < 8; count += 1) {
      assert.equal(await mayRequest('c1@example.com', stranger), false)
    }
    limitKeys.length = 0

    assert.equal(await mayRequest('c1@example.com', home), true)
    // The address, the e-mail address, the budget of the third party, and the reserve: not that of the e-mail address.
    assert.equal(limitKeys.length, 4)
  })

  it('is not made of customers who enter what they requested', async (t) => {
    const { passcodes, delivered, counted } = await open(t, { passcodesPerMinute: 2 })
    for (let index = 0; index < 30; index += 1) {
      const owner = { secret: `s${index}`, purpose: 'sign-in', source: home } as const
      const email = `c${index}@example.com`
      delivered.length = 0
      assert.equal(await passcodes.takeRequest(email, owner), undefined)
      await passcodes.request(owner, email, [toMatch(`c${index}`)])
      await new Promise((resolve) => setImmediate(resolve))
      const { passcode = '' } = delivered[0] ?? {}
      assert.equal((await passcodes.verify(owner, passcode, next)).outcome, 'correct')
    }

    assert.deepEqual([...new Set(counted)], ['sent', 'correct'])
  })
})

type Opened = Awaited<ReturnType<typeof open>>
