import assert from 'node:assert/strict'
import { it } from 'node:test'
import { UsageHistory } from '../../src/contract/index.ts'
import { findProblems } from '../../src/contract/problems.ts'
import { describe, newDatabase } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { loadInProcess } from '../support/load.ts'
import { runInProcess, startServer } from '../support/process.ts'
import { smallBankLines } from '../support/small-bank.ts'
import { until } from '../support/until.ts'

const products = '/cds-au/v1/banking/products?page-size=25'

describe('GET /v1/usage', () => {
  it('has calls, starts and loads of before a restart, for clients with the scope operations.read', async (t) => {
    const database = await newDatabase(t)
    await loadInProcess(database, smallBankLines)
    const register = async (scope: string) => {
      const args = ['client', 'add', 'console', '--scope', scope, '--database', database]
      const { stdout } = await runInProcess(args)
      const [, id, secret] = /client_id: (\S+)\nclient_secret: (\S+)/.exec(stdout) ?? []
      return { client_id: id, client_secret: secret }
    }
    const operator = await register('operations.read')
    const outsider = await register('products.read')
    const open = async () => {
      const served = await startServer(t, ['serve', 'platform'], { database })
      const readToken = async (body: object) =>
        (await send(served.port, '/v1/token', { method: 'POST', body })).body.token
      const authorization = `Bearer ${await readToken(operator)}`
      const read = (query = '') =>
        send(served.port, `/v1/usage${query}`, { headers: { authorization } })
      const readAs = async (body: object) =>
        send(served.port, '/v1/usage', {
          headers: { authorization: `Bearer ${await readToken(body)}` },
        })
      return { served, read, readAs }
    }
    const first = await open()
    const intake = await startServer(t, ['serve', 'intake'], { database })
    const headers = { 'x-v': '3' }
    for (let count = 0; count < 3; count += 1) await send(first.served.port, products, { headers })
    await send(first.served.port, '/cds-au/v1/banking/products', { headers: { 'x-v': '99' } })
    await intake.stop()
    await first.served.stop()

    const { served, read, readAs } = await open()
    let found: UsageHistory | undefined
    const countStarts = () => {
      const starts = found?.marks.filter(({ kind }) => kind === 'start') ?? []
      const text = starts.map((mark) => mark.text).join()
      const platforms = [...text.matchAll(/platform \S+(?: \((\d) processes\))?/g)]
      const sum = platforms.reduce((all, [, processes = '1']) => all + Number(processes), 0)
      return [sum, text.includes('intake')]
    }
    await until(
      async () => {
        found = (await read('?range=24h')).body as UsageHistory
        return countStarts()[0] === 2
      },
      () => JSON.stringify(found?.marks),
    )

    assert.ok(found)
    assert.deepEqual(findProblems(UsageHistory, found, 10), [])
    assert.deepEqual(countStarts(), [2, true])
    assert.equal(found.marks.filter(({ kind }) => kind === 'load').length, 1)
    const { calls, clientErrors, errors } = found.total
    assert.deepEqual([calls, clientErrors, errors], [4, 1, 0])
    assert.deepEqual(
      found.operations.map(({ operation }) => operation),
      ['products'],
    )
    assert.equal((await readAs(outsider)).status, 403)
    const invalid = await read('?range=2y')
    assert.equal(invalid.status, 400)
    assert.match(invalid.text, /range/)
    assert.equal(served.stderr().includes('start not recorded'), false)
  })
})
