import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { toPublicKeySet } from '../../src/auth/signing.ts'
import { type ChangeReason, informsThirdParty } from '../../src/contract/consent-statuses.ts'
import type { Profile } from '../../src/platform/consent/store.ts'
import { describe } from '../support/engines.ts'
import { until } from '../support/until.ts'
import { brandId, find, openOutbox, register, untilState, withdraw } from './open-outbox.ts'
import { openRecipient, type Recipient } from './recipient.ts'
import { makeArrangement, makeThirdParty } from './stores.ts'

describe('a third party with an address', () => {
  for (const profile of ['plain', 'cds'] as const satisfies Profile[]) {
    it(`is informed of a withdrawal with tokens that it can verify, with the profile ${profile}`, async (t) => {
      const outbox = await openOutbox(t, profile === 'cds' ? 'PS256' : 'ES256')
      const recipient = await openRecipient(t)
      await register(outbox, 'tp', recipient, { profile })
      outbox.deliver()

      await withdraw(outbox, 'r1')
      await untilState(outbox, 'r1', 'delivered')

      const [request] = recipient.requests
      assert.ok(request)
      assert.equal(recipient.requests.length, 1)
      assert.equal(request.path, '/dr/arrangements/revoke')
      assert.equal(request.type, 'application/x-www-form-urlencoded')
      assert.deepEqual([...request.form.keys()], ['cdr_arrangement_jwt', 'cdr_arrangement_id'])
      assert.equal(request.form.get('cdr_arrangement_id'), 'r1')
      const tokens = [
        request.authorization.replace('Bearer ', ''),
        request.form.get('cdr_arrangement_jwt') ?? '',
      ]
      const ids = new Set<unknown>()
      for (const [index, token] of tokens.entries()) {
        const { payload, protectedHeader } = await jwtVerify(
          token,
          createLocalJWKSet(toPublicKeySet(outbox.keys)),
          {
            issuer: brandId,
            subject: brandId,
            audience: `${recipient.baseUri}/arrangements/revoke`,
            algorithms: [profile === 'cds' ? 'PS256' : 'ES256'],
            currentDate: new Date(outbox.now().epochMilliseconds),
            requiredClaims: ['exp', 'iat', 'jti'],
          },
        )
        assert.equal(protectedHeader.kid, outbox.keys[0]?.id)
        assert.equal(payload['cdr_arrangement_id'], index === 0 ? undefined : 'r1')
        ids.add(payload.jti)
      }
      assert.equal(ids.size, 2)
      assert.deepEqual(await find(outbox, 'r1'), {
        kind: 'revocation',
        state: 'delivered',
        created: outbox.now(),
        attempts: 1,
        due: outbox.now(),
        settled: outbox.now(),
      })
    })
  }

  it('is informed of the ends that it does not know, and of no others', async (t) => {
    const outbox = await openOutbox(t)
    const recipient = await openRecipient(t)
    await register(outbox, 'tp', recipient)
    const reasons = Object.keys(informsThirdParty) as ChangeReason[]

    for (const reason of reasons) await withdraw(outbox, reason, 'tp', reason)

    const messages = await outbox.stores[1].outbox.listMessages(reasons)
    assert.deepEqual([...messages.keys()].sort(), ['code_replayed', 'customer', 'operator'])
  })

  it('is not informed of a natural end or an amendment', async (t) => {
    const outbox = await openOutbox(t)
    await register(outbox, 'tp', await openRecipient(t))
    const { arrangements, outbox: messages } = outbox.stores[0]
    const now = outbox.now()
    const soon = now.add({ seconds: 60 })
    for (const id of ['r1', 'r2', 'r3'])
      await arrangements.add(makeArrangement(id, { from: now, until: soon }))

    assert.ok(await arrangements.amend('r1', 'r2', now))
    assert.equal((await arrangements.find('r3', soon))?.status, 'expired')

    assert.equal((await messages.listMessages(['r1', 'r2', 'r3'])).size, 0)
  })

  it('that does not know the consent is not informed again', async (t) => {
    const outbox = await openOutbox(t)
    const recipient = await openRecipient(t)
    recipient.respondWith((response) => response.writeHead(422).end('{}'))
    await register(outbox, 'tp', recipient)
    outbox.deliver()

    await withdraw(outbox, 'r1')
    await untilState(outbox, 'r1', 'delivered')

    assert.deepEqual(outbox.results, ['unknown'])
  })

  const failures: Readonly<Record<string, [(recipient: Recipient) => unknown, RegExp]>> = {
    'the status 500': [
      (recipient) => recipient.respondWith((response) => response.writeHead(500).end()),
      /^status 500$/,
    ],
    'the status 200': [
      (recipient) => recipient.respondWith((response) => response.writeHead(200).end()),
      /^status 200$/,
    ],
    'a redirect': [
      (recipient) =>
        recipient.respondWith((response) => response.writeHead(307, { location: '/other' }).end()),
      /^status 307$/,
    ],
    'a body that does not end': [
      (recipient) =>
        recipient.respondWith((response) => {
          response.writeHead(400)
          const more = () => {
            while (!response.destroyed && response.write('x'.repeat(65_536)));
          }
          response.on('drain', more)
          more()
        }),
      /^status 400$/,
    ],
    'no response': [(recipient) => recipient.respondWith(() => {}), /^timed out$/],
    'a closed connection': [
      (recipient) => recipient.respondWith((response) => response.destroy()),
      /^ECONNRESET$/,
    ],
    'a switch to another protocol': [
      (recipient) =>
        recipient.respondWith((response) =>
          response.writeHead(101, { connection: 'upgrade', upgrade: 'other' }).end(),
        ),
      /^status 101$/,
    ],
    'a refused connection': [(recipient) => recipient.stop(), /^ECONNREFUSED$/],
  }
  for (const [name, [breakRecipient, reason]] of Object.entries(failures)) {
    it(`is informed again after ${name}, with other tokens`, async (t) => {
      const outbox = await openOutbox(t)
      const recipient = await openRecipient(t)
      await register(outbox, 'tp', recipient)
      await breakRecipient(recipient)
      const first = outbox.deliver({ timeoutMs: name === 'no response' ? 50 : 600_000 })

      await withdraw(outbox, 'r1')
      await outbox.untilSettled(1)

      const failed = await find(outbox, 'r1')
      assert.match(failed?.error ?? '', reason)
      assert.deepEqual([failed?.state, failed?.attempts], ['waiting', 1])
      const delay = failed?.due.since(outbox.now()).total('seconds') ?? 0
      assert.ok(delay >= 5 && delay <= 10, `${delay}`)
      if (name === 'a refused connection') await recipient.restart()
      recipient.respondWith((response) => response.writeHead(204).end())
      // On a busy machine, a response may take longer than the short timeout.
      await first.close()
      outbox.deliver({ timeoutMs: 600_000 })
      outbox.pass(10)
      await untilState(outbox, 'r1', 'delivered')
      assert.ok(recipient.requests.every(({ path }) => path === '/dr/arrangements/revoke'))
      const ids = recipient.requests.flatMap(({ authorization, form }) =>
        [authorization.replace('Bearer ', ''), form.get('cdr_arrangement_jwt') ?? ''].map(
          (token) => decodeJwt(token).jti,
        ),
      )
      assert.equal(new Set(ids).size, ids.length)
    })
  }

  it('is given up after seven days of attempts, ever more rarely', async (t) => {
    const outbox = await openOutbox(t)
    const recipient = await openRecipient(t)
    recipient.respondWith((response) => response.writeHead(503).end())
    await register(outbox, 'tp', recipient)
    outbox.deliver()

    await withdraw(outbox, 'r1')
    const delays: number[] = []
    for (let count = 1; ; count += 1) {
      await outbox.untilSettled(count)
      const { state, due } = (await find(outbox, 'r1')) ?? assert.fail()
      if (state === 'given_up') break
      const seconds = Math.ceil(due.since(outbox.now()).total('seconds'))
      delays.push(seconds)
      outbox.pass(seconds)
    }

    assert.ok(delays.every((seconds) => seconds <= 3600))
    assert.ok((delays[8] ?? 0) >= 1280)
    const hours = delays.reduce((sum, seconds) => sum + seconds, 0) / 3600
    assert.ok(hours > 7 * 24 - 1 && hours <= 7 * 24, `${hours}`)
    assert.equal(outbox.results.at(-1), 'gave_up')
  })

  it('does not wait for one that does not respond, or for its backlog', async (t) => {
    const outbox = await openOutbox(t)
    const [slow, quick] = [await openRecipient(t), await openRecipient(t)]
    slow.respondWith(() => {})
    await register(outbox, 'slow', slow)
    await register(outbox, 'quick', quick)
    for (let count = 0; count < 50; count += 1) await withdraw(outbox, `s${count}`, 'slow')
    outbox.deliver({ timeoutMs: 600_000 })
    await until(() => slow.requests.length > 0)

    await withdraw(outbox, 'q1', 'quick')
    await untilState(outbox, 'q1', 'delivered')

    assert.equal(slow.requests.length, 4)
  })

  it('that fails gets one request at a time, until it works again', async (t) => {
    const outbox = await openOutbox(t)
    const recipient = await openRecipient(t)
    recipient.respondWith((response) => response.writeHead(503).end())
    await register(outbox, 'tp', recipient)
    for (let count = 0; count < 20; count += 1) await withdraw(outbox, `r${count}`)
    outbox.deliver()
    await outbox.untilSettled(4)

    for (let count = 5; count <= 8; count += 1) {
      outbox.pass(60)
      await outbox.untilSettled(count)
    }
    assert.equal(recipient.requests.length, 8)
    recipient.respondWith((response) => response.writeHead(204).end())
    outbox.pass(3600)

    await until(() => outbox.results.filter((result) => result === 'delivered').length === 20)
  })

  it('is informed once by two processes', async (t) => {
    const outbox = await openOutbox(t)
    const recipient = await openRecipient(t)
    await register(outbox, 'tp', recipient)
    for (let count = 0; count < 40; count += 1) await withdraw(outbox, `r${count}`)

    for (const store of outbox.stores) outbox.deliver({ store })
    await until(() => outbox.results.length >= 40)

    const ids = recipient.requests.map(({ form }) => form.get('cdr_arrangement_id'))
    assert.deepEqual([ids.length, new Set(ids).size], [40, 40])
  })

  it('is informed by another process when the lease of one that ended is over', async (t) => {
    const outbox = await openOutbox(t)
    const recipient = await openRecipient(t)
    await register(outbox, 'tp', recipient)
    await withdraw(outbox, 'r1')
    const lease = { id: 'l1', ends: outbox.now().add({ seconds: 60 }) }
    const [message] = await outbox.stores[1].outbox.claim('tp', 1, lease, outbox.now())
    assert.equal(message?.arrangementId, 'r1')
    const deliveries = outbox.deliver()
    await withdraw(outbox, 'r2')
    await untilState(outbox, 'r2', 'delivered')
    assert.equal(recipient.requests.length, 1)

    outbox.pass(60)

    await untilState(outbox, 'r1', 'delivered')
    assert.equal((await find(outbox, 'r1'))?.attempts, 2)
    await deliveries.close()
  })

  it('is informed by another process at once after a shutdown during the request', async (t) => {
    const outbox = await openOutbox(t)
    const recipient = await openRecipient(t)
    recipient.respondWith(() => {})
    await register(outbox, 'tp', recipient)
    const first = outbox.deliver({ timeoutMs: 600_000 })
    await withdraw(outbox, 'r1')
    await until(() => recipient.requests.length === 1)

    await first.close()
    recipient.respondWith((response) => response.writeHead(204).end())
    outbox.deliver({ store: outbox.stores[1] })

    await untilState(outbox, 'r1', 'delivered')
    assert.deepEqual((await find(outbox, 'r1'))?.attempts, 1)
    assert.deepEqual(outbox.reasons, [])
  })

  it('is not informed after its removal', async (t) => {
    const outbox = await openOutbox(t)
    const recipient = await openRecipient(t)
    await register(outbox, 'tp', recipient)
    await register(outbox, 'other', recipient)
    for (const id of ['r1', 'r2']) await withdraw(outbox, id)
    await withdraw(outbox, 'r3', 'other')

    await outbox.stores[1].thirdParties.remove('tp', outbox.now())
    outbox.deliver()
    await untilState(outbox, 'r3', 'delivered')

    assert.equal(recipient.requests.length, 1)
    assert.equal((await find(outbox, 'r1'))?.state, 'cancelled')
    assert.deepEqual(await outbox.stores[0].outbox.readWaiting(), { count: 0 })
  })

  it('is informed later without a usable signing key, and few attempts are made', async (t) => {
    const outbox = await openOutbox(t)
    const recipient = await openRecipient(t)
    await register(outbox, 'tp', recipient)
    const [key] = outbox.keys.splice(0)
    for (let count = 0; count < 20; count += 1) await withdraw(outbox, `r${count}`)
    outbox.deliver()
    await until(() => outbox.errors.length === 4)

    if (key) outbox.keys.push(key)
    outbox.pass(120)

    await until(() => outbox.results.length === 20)
    assert.equal(outbox.errors.length, 4)
  })
})

describe('a message that is too old', () => {
  it('is given up even if it was never sent', async (t) => {
    const outbox = await openOutbox(t)
    const recipient = await openRecipient(t)
    await register(outbox, 'tp', recipient)
    for (let count = 0; count < 3; count += 1) await withdraw(outbox, `r${count}`)
    outbox.pass(7 * 24 * 3600)

    outbox.deliver()
    await untilState(outbox, 'r2', 'given_up')

    assert.deepEqual([recipient.requests.length, outbox.results], [0, ['gave_up']])
  })
})

describe('a third party without an address', () => {
  it('is not informed', async (t) => {
    const outbox = await openOutbox(t)
    await outbox.stores[0].thirdParties.add(makeThirdParty('tp'))

    await withdraw(outbox, 'r1')

    assert.equal(await find(outbox, 'r1'), undefined)
  })
})
