import assert from 'node:assert/strict'
import dns from 'node:dns'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { openOutbox, register, untilFailed, withdraw } from './open-outbox.ts'
import { openRecipient } from './recipient.ts'

type Answer = (error: null, addresses: readonly dns.LookupAddress[]) => void

describeOnce('a name with an address in a private network', () => {
  it('is not connected to, even if its other addresses are public', async (t) => {
    const outbox = await openOutbox(t)
    const recipient = await openRecipient(t)
    const { port } = new URL(recipient.baseUri)
    await register(outbox, 'tp', { baseUri: `http://budget.example:${port}` })
    const lookUp = t.mock.method(dns, 'lookup', ((_name: string, _options: object, done: Answer) =>
      done(null, [
        { address: '203.0.113.1', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ])) as typeof dns.lookup)
    outbox.deliver()

    await withdraw(outbox, 'r1')
    await untilFailed(outbox, 1)

    assert.deepEqual(outbox.reasons, ['address of a private network'])
    assert.equal(recipient.requests.length, 0)
    // A second answer could be another one.
    assert.equal(lookUp.mock.callCount(), 1)
  })
})

describeOnce('an address in a private network', () => {
  for (const host of [
    '10.1.2.3',
    '169.254.169.254',
    '192.168.0.1',
    '100.64.0.1',
    '0.0.0.0',
    '[fd00::1]',
    '[::ffff:10.0.0.1]',
    '[64:ff9b::a00:1]',
    '[64:ff9b:1::a00:1]',
    '[::a00:1]',
    '[::ffff:0:a00:1]',
    '[2001::a00:1]',
    '[2002:a00:1::1]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[::]',
  ]) {
    it(`is not connected to: ${host}`, async (t) => {
      const outbox = await openOutbox(t)
      await register(outbox, 'tp', { baseUri: `https://${host}` })
      outbox.deliver()

      await withdraw(outbox, 'r1')
      await untilFailed(outbox, 1)

      assert.deepEqual(outbox.reasons, ['address of a private network'])
    })
  }
})
