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

describe('several processes on one database', { concurrency: 2 }, () => {
  it('accept one of a hundred concurrent uses of a token', async (t) => {
    const deployment = await openDeployment(t)
    const providers = await Promise.all([1, 2, 3].map(() => deployment.startProvider()))
    const sendToAll = (token: string, times: number) =>
      Promise.all(
        Array.from({ length: times }, (_, index) =>
          ask(providers[index % providers.length] as Server, token),
        ),
      )

    for (let round = 0; round < 5; round += 1) {
      const answers = await sendToAll(deployment.mint(accountsPath), 100)

      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      for (const answer of answers) if (answer.status !== 200) assertRejected(answer)
    }
  })

  it('accept one of two tokens with the same jti', async (t) => {
    const deployment = await openDeployment(t)
    const providers = await Promise.all([deployment.startProvider(), deployment.startProvider()])

    for (let round = 0; round < 10; round += 1) {
      const jti = randomUUID()
      const answers = await Promise.all(
        providers.map((provider, index) =>
          ask(provider, deployment.mint(accountsPath, { jti, extra: index })),
        ),
      )

      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401])
    }
  })

  it('reject a used token after kill -9 and restart, and others continue', async (t) => {
    const deployment = await openDeployment(t)
    const [first, other] = await Promise.all([
      deployment.startProvider(),
      deployment.startProvider(),
    ])
    const [jti, token] = [randomUUID(), deployment.mint(accountsPath)]
    const used = deployment.mint(accountsPath, { jti })

    assert.equal((await ask(first, token)).status, 200)
    assert.equal((await ask(first, used)).status, 200)
    await first.kill()

    assert.ok((await usedTokenIds(deployment.database)).includes(jti))
    assertRejected(await ask(other, token))
    const again = await deployment.startProvider()
    assertRejected(await ask(again, token))
    assertRejected(await ask(again, used))
    assert.equal((await ask(again, deployment.mint(accountsPath))).status, 200)
  })

  it('reject every token that passed before kill -9 under load', async (t) => {
    const deployment = await openDeployment(t)
    const first = await deployment.startProvider()
    const tokens = Array.from({ length: 200 }, () => deployment.mint(accountsPath))

    let passedCount = 0
    const outcomes = await Promise.all(
      tokens.map(async (token) => {
        const status = await ask(first, token).then(
          (answer) => answer.status,
          () => 0,
        )
        if (status === 200) {
          passedCount += 1
          if (passedCount === 10) await first.kill()
        }
        return { token, status }
      }),
    )
    const again = await deployment.startProvider()

    const passed = outcomes.filter(({ status }) => status === 200)
    assert.ok(passed.length >= 10, `${passed.length} passed`)
    for (const { token } of passed) assertRejected(await ask(again, token))
  })
})
