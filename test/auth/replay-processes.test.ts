import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { openTown, type Served } from './processes.ts'
import { accountsPath, assertRefused, claimedIds, sendTo } from './world.ts'

const ask = ({ port }: Served, token: string) =>
  sendTo(port, accountsPath, { headers: ['authorization', `Bearer ${token}`] })

describe('several processes over one database', { concurrency: 2 }, () => {
  it('let one token pass once of a hundred times at once', async (t) => {
    const town = await openTown(t)
    const providers = await Promise.all([1, 2, 3].map(() => town.startProvider()))
    const everywhere = (token: string, times: number) =>
      Promise.all(
        Array.from({ length: times }, (_, index) =>
          ask(providers[index % providers.length] as Served, token),
        ),
      )

    for (let turn = 0; turn < 5; turn += 1) {
      const answers = await everywhere(town.mint(accountsPath), 100)

      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      for (const answer of answers) if (answer.status !== 200) assertRefused(answer)
    }
  })

  it('let one of two tokens with one jti pass', async (t) => {
    const town = await openTown(t)
    const providers = await Promise.all([town.startProvider(), town.startProvider()])

    for (let turn = 0; turn < 10; turn += 1) {
      const jti = randomUUID()
      const answers = await Promise.all(
        providers.map((provider, index) =>
          ask(provider, town.mint(accountsPath, { jti, extra: index })),
        ),
      )

      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401])
    }
  })

  it('refuse a spent token after kill -9 and restart, and the others go on', async (t) => {
    const town = await openTown(t)
    const [first, other] = await Promise.all([town.startProvider(), town.startProvider()])
    const [jti, token] = [randomUUID(), town.mint(accountsPath)]
    const claimed = town.mint(accountsPath, { jti })

    assert.equal((await ask(first, token)).status, 200)
    assert.equal((await ask(first, claimed)).status, 200)
    await first.kill()

    assert.ok((await claimedIds(town.database)).includes(jti))
    assertRefused(await ask(other, token))
    const again = await town.startProvider()
    assertRefused(await ask(again, token))
    assertRefused(await ask(again, claimed))
    assert.equal((await ask(again, town.mint(accountsPath))).status, 200)
  })

  it('remember every token that was answered before kill -9 in the middle of many', async (t) => {
    const town = await openTown(t)
    const first = await town.startProvider()
    const tokens = Array.from({ length: 200 }, () => town.mint(accountsPath))

    let answered = 0
    const outcomes = await Promise.all(
      tokens.map(async (token) => {
        const status = await ask(first, token).then(
          (answer) => answer.status,
          () => 0,
        )
        answered += 1
        if (answered === 50) await first.kill()
        return { token, status }
      }),
    )
    const again = await town.startProvider()

    const passed = outcomes.filter(({ status }) => status === 200)
    assert.ok(passed.length > 0)
    for (const { token } of passed) assertRefused(await ask(again, token))
  })
})
