import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { describeOnce } from '../support/engines.ts'
import { findFreePort } from '../support/free-port.ts'
import { openGuardServer } from '../support/guard-server.ts'
import { startListening } from '../support/process.ts'

const program = fileURLToPath(new URL('../../examples/guard-express/server.js', import.meta.url))
const accountsPath = '/v1/banking/customer/C1001/accounts'

describeOnce('the Express service behind a guard', () => {
  it('understands an unescaped offset, by which the default window is calculated', async (t) => {
    const port = String(await findFreePort())
    await startListening(t, [process.execPath, program, port])
    const guard = await openGuardServer(t, `http://127.0.0.1:${port}`)
    const [account] = (await guard.ask(accountsPath)).body.data.accounts

    const { status, body } = await guard.ask(
      `${accountsPath}/${account.accountId}/transactions?newest-time=2025-03-01T05:00:00+11:00`,
    )

    assert.equal(status, 200)
    const { 'oldest-time': oldest, 'newest-time': newest } = Object.fromEntries(
      new URLSearchParams(body.links.first),
    )
    assert.deepEqual([oldest, newest], ['2024-02-29T18:00:00Z', '2025-03-01T05:00:00+11:00'])
  })
})
