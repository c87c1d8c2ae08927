import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { recordTypes } from '../../src/contract/index.ts'
import { readLine } from '../../src/load/line.ts'
import * as engines from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { runInProcess } from '../support/process.ts'
import { nobodysName, prototypeNames } from '../support/prototype-names.ts'
import { sharedProvider } from '../support/provider.ts'
import { oneOfEach } from './lines.ts'

/** What is wrong with a line that has a name somewhere, as if it were another name. */
function problemsWith(lineWith: (name: string) => string, name: string): unknown {
  const result = readLine(lineWith(name))
  if (!('problems' in result)) return []
  return JSON.parse(JSON.stringify(result.problems).replaceAll(name, nobodysName))
}

function assertOrdinary(lineWith: (name: string) => string): void {
  const expected = problemsWith(lineWith, nobodysName)
  for (const name of prototypeNames) assert.deepEqual(problemsWith(lineWith, name), expected, name)
}

/** Every way to put a name in place of a value, or beside one, at any depth. */
function* variantsOf(value: unknown): Generator<(name: string) => unknown> {
  yield (name) => name
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield (name) => ({ ...value, [name]: { [name]: name } })
  for (const [key, inner] of Object.entries(value)) {
    for (const variant of variantsOf(inner)) {
      yield (name) =>
        Array.isArray(value)
          ? value.with(Number(key), variant(name))
          : { ...value, [key]: variant(name) }
    }
  }
}

describe('a name that every object has', () => {
  for (const [type, text] of Object.entries(oneOfEach())) {
    it(`is a text like any other anywhere in a line of the type ${type}`, () => {
      for (const variant of variantsOf(JSON.parse(text))) {
        assertOrdinary((name) => JSON.stringify(variant(name)))
      }
    })
  }

  it('is no type, whatever else the line has', () => {
    for (const type of Object.keys(recordTypes)) {
      assertOrdinary((name) => JSON.stringify({ type: name, record: {}, delete: {}, was: type }))
    }
  })

  it('is no command, setting, algorithm, scope, size or parameter', async () => {
    for (const command of [
      (name: string) => [name],
      (name: string) => ['serve', name],
      (name: string) => ['settings', name],
      (name: string) => ['settings', 'provider', `--${name}`, 'x'],
      (name: string) => ['settings', 'provider', '--log-level', name],
      (name: string) => ['settings', 'provider', '--account-version', name],
      (name: string) => ['keys', 'add', '--algorithm', name],
      (name: string) => ['client', 'add', 'x', '--scope', name],
      (name: string) => ['generate', '--customers', name],
      (name: string) => ['check', 'http://127.0.0.1:1', '--parameter', `${name}=x`],
      (name: string) => ['check', 'http://127.0.0.1:1', '--profile', name],
    ]) {
      const { status } = await runInProcess(command(nobodysName))
      assert.ok(status > 0, command(nobodysName).join(' '))

      for (const name of prototypeNames) {
        assert.equal((await runInProcess(command(name))).status, status, command(name).join(' '))
      }
    }
  })
})

engines.describe('a name that every object has, as an id', () => {
  const provider = sharedProvider(
    prototypeNames.flatMap((name) => [
      lines.customer(name),
      lines.bankingAccount(`a-${name}`, { [name]: true }),
      lines.balance(`a-${name}`),
      lines.transaction(`a-${name}`, name),
      lines.energyAccount(name, [name]),
    ]),
  )

  it('is loaded and served', async () => {
    const here = await provider()
    for (const name of prototypeNames) {
      const customer = `/v1/banking/customer/${name}`

      const accounts = await here.get(`${customer}/accounts`)
      assert.deepEqual(
        accounts.body.data.accounts.map(({ accountId }: { accountId: string }) => accountId),
        [`a-${name}`],
      )
      const { body } = await here.get(`${customer}/accounts/a-${name}/transactions`)
      assert.deepEqual([body.meta.totalRecords], [1])
      const energy = await here.post(`/v1/energy/customer/${name}/accounts`, {
        data: { accountIds: [name] },
      })
      assert.equal(energy.body.data.accounts[0].accountId, name)
    }
  })
})
