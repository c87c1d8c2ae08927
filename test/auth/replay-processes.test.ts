import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { openDeployment } from '../support/deployment.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { retryWhileOverloaded, send } from '../support/http.ts'
import type { Server } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { assertRejected, usedTokenIds } from '../support/token-provider.ts'
import { decodeClaims } from '../support/tokens.ts'

const ask = ({ port }: Server, token: string) =>
  retryWhileOverloaded(() =>
    send(port, accountsPath, { headers: ['authorization', `Bearer ${token}`] }),
  )

const openTwo = shareOnEachEngine(async (scope) => {
  const deployment = await openDeployment(scope)
  const { startProvider } = deployment
  return { deployment, providers: await Promise.all([startProvider(), startProvider()]) }
})

describe('several processes on one database', () => {
  it('accept one of fifty concurrent uses of a token', async () => {
    const { deployment, providers } = await openTwo()
    const sendToAll = (token: string, times: number) =>
      Promise.all(
        Array.from({ length: times }, (_, index) =>
          ask(providers[index % providers.length] as Server, token),
        ),
      )

    for (let round = 0; round < 3; round += 1) {
      const answers = await sendToAll(deployment.mint(accountsPath), 50)

      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      for (const answer of answers) if (answer.status !== 200) assertRejected(answer)
    }
  })

  it('accept one of two tokens with the same jti', async () => {
    const { deployment, providers } = await openTwo()

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

  it('reject every token that passed before kill -9 under load, also after a restart', async () => {
    const { deployment, providers } = await openTwo()
    const [other, killed] = providers
    const tokens = Array.from({ length: 100 }, () => deployment.mint(accountsPath))

    const passed: string[] = []
    await Promise.all(
      tokens.map(async (token) => {
        const status = await ask(killed, token).then(
          (answer) => answer.status,
          () => 0,
        )
        if (status !== 200) return
        passed.push(token)
        if (passed.length === 10) await killed.kill()
      }),
    )

    assert.ok(passed.length >= 10, `${passed.length} passed`)
    const used = await usedTokenIds(deployment.database)
    for (const token of passed) assert.ok(used.includes(String(decodeClaims(token)['jti'])))
    const restarted = await deployment.startProvider()
    providers[1] = restarted
    for (const [index, token] of passed.entries()) {
      assertRejected(await ask(index % 2 === 0 ? other : restarted, token))
    }
    for (const provider of [other, restarted]) {
      assert.equal((await ask(provider, deployment.mint(accountsPath))).status, 200)
    }
  })
})
