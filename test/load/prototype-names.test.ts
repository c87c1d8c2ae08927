import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { recordTypes } from '../../src/contract/index.ts'
import { readLine } from '../../src/intake/line.ts'
import * as engines from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { runInProcess } from '../support/process.ts'
import { prototypeNames, unusedName } from '../support/prototype-names.ts'
import { sharedProvider } from '../support/provider.ts'
import { createExamples } from './lines.ts'

/** The problems of a line that contains a name, with the name replaced by a neutral one. */
function readProblems(createLine: (name: string) => string, name: string): string {
  const result = readLine(createLine(name))
  if (!('problems' in result)) return '[]'
  return JSON.stringify(result.problems).replaceAll(name, unusedName)
}

function assertSameProblems(createLine: (name: string) => string): void {
  const expected = readProblems(createLine, unusedName)
  for (const name of prototypeNames) assert.equal(readProblems(createLine, name), expected, name)
}

/** Every way to insert a name in place of a value or as a field, at any depth. */
function* generateVariants(value: unknown): Generator<(name: string) => unknown> {
  yield (name) => name
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield (name) => ({ ...value, [name]: { [name]: name } })
  for (const [key, inner] of Object.entries(value)) {
    for (const variant of generateVariants(inner)) {
      yield (name) =>
        Array.isArray(value)
          ? value.with(Number(key), variant(name))
          : { ...value, [key]: variant(name) }
    }
  }
}

describe('a property name of Object.prototype', () => {
  for (const [type, text] of Object.entries(createExamples())) {
    it(`is handled like any other text in a line of type ${type}`, () => {
      for (const variant of generateVariants(JSON.parse(text))) {
        assertSameProblems((name) => JSON.stringify(variant(name)))
      }
    })
  }

  it('is not a line type', () => {
    for (const type of Object.keys(recordTypes)) {
      assertSameProblems((name) =>
        JSON.stringify({ type: name, record: {}, delete: {}, was: type }),
      )
    }
  })

  it('is not a command, setting, algorithm, scope, size or parameter', async () => {
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
      const { status } = await runInProcess(command(unusedName))
      assert.ok(status > 0, command(unusedName).join(' '))

      for (const name of prototypeNames) {
        assert.equal((await runInProcess(command(name))).status, status, command(name).join(' '))
      }
    }
  })
})

engines.describe('a property name of Object.prototype as an id', () => {
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
    const server = await provider()
    for (const name of prototypeNames) {
      const customer = `/v1/banking/customer/${name}`

      const accounts = await server.get(`${customer}/accounts`)
      assert.deepEqual(
        accounts.body.data.accounts.map(({ accountId }: { accountId: string }) => accountId),
        [`a-${name}`],
      )
      const { body } = await server.get(`${customer}/accounts/a-${name}/transactions`)
      assert.deepEqual([body.meta.totalRecords], [1])
      const energy = await server.post(`/v1/energy/customer/${name}/accounts`, {
        data: { accountIds: [name] },
      })
      assert.equal(energy.body.data.accounts[0].accountId, name)
    }
  })
})
