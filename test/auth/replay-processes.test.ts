import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { openDeployment } from '../support/deployment.ts'
import { describe } from '../support/engines.ts'
import { send } from '../support/http.ts'
import type { Server } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { assertRejected, usedTokenIds } from '../support/token-provider.ts'

const ask = ({ port }: Server, token: string) =>
  send(port, accountsPath, { headers: ['authorization', `Bearer ${token}`] })

describe('several processes over one database', { concurrency: 2 }, () => {
  it('let one token pass once of a hundred times at once', async (t) => {
    const deployment = await openDeployment(t)
    const providers = await Promise.all([1, 2, 3].map(() => deployment.startProvider()))
    const everywhere = (token: string, times: number) =>
      Promise.all(
        Array.from({ length: times }, (_, index) =>
          ask(providers[index % providers.length] as Server, token),
        ),
      )

    for (let turn = 0; turn < 5; turn += 1) {
      const answers = await everywhere(deployment.mint(accountsPath), 100)

      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      for (const answer of answers) if (answer.status !== 200) assertRejected(answer)
    }
  })

  it('let one of two tokens with one jti pass', async (t) => {
    const deployment = await openDeployment(t)
    const providers = await Promise.all([deployment.startProvider(), deployment.startProvider()])

    for (let turn = 0; turn < 10; turn += 1) {
      const jti = randomUUID()
      const answers = await Promise.all(
        providers.map((provider, index) =>
          ask(provider, deployment.mint(accountsPath, { jti, extra: index })),
        ),
      )

      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401])
    }
  })

  it('refuse a spent token after kill -9 and restart, and the others go on', async (t) => {
    const deployment = await openDeployment(t)
    const [first, other] = await Promise.all([
      deployment.startProvider(),
      deployment.startProvider(),
    ])
    const [jti, token] = [randomUUID(), deployment.mint(accountsPath)]
    const claimed = deployment.mint(accountsPath, { jti })

    assert.equal((await ask(first, token)).status, 200)
    assert.equal((await ask(first, claimed)).status, 200)
    await first.kill()

    assert.ok((await usedTokenIds(deployment.database)).includes(jti))
    assertRejected(await ask(other, token))
    const again = await deployment.startProvider()
    assertRejected(await ask(again, token))
    assertRejected(await ask(again, claimed))
    assert.equal((await ask(again, deployment.mint(accountsPath))).status, 200)
  })

  it('remember every token that was answered before kill -9 in the middle of many', async (t) => {
    const deployment = await openDeployment(t)
    const first = await deployment.startProvider()
    const tokens = Array.from({ length: 200 }, () => deployment.mint(accountsPath))

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
    const again = await deployment.startProvider()

    const passed = outcomes.filter(({ status }) => status === 200)
    assert.ok(passed.length > 0)
    for (const { token } of passed) assertRejected(await ask(again, token))
  })
})
