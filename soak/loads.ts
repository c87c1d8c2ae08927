import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { holdfastProgram, runToEnd, untilExit } from '../bench/processes.ts'
import { kill, start } from '../test/support/process.ts'
import type { Model } from './model.ts'

/** Loads that change what is answered: each one is a version, all of it or nothing. */
export interface Loads {
  committed(): number
  begun(): number
  load(): Promise<void>
  /** One that is killed on its way, and then done after all. */
  loadAfterKill(): Promise<void>
  /** One that must fail because of a fault, and succeeds once the fault is repaired. */
  loadAfterFailure(repair: () => Promise<void>): Promise<void>
}

/** How many accounts each load changes, and how many transactions each of them gets. */
const accountsMax = 20
const newTransactions = 10

const hourMs = 3_600_000

export function openLoads(model: Model, database: string, folder: string): Loads {
  let [committed, begun] = [0, 0]
  const begin = (): string[] => {
    const version = begun + 1
    const lines = linesOf(model, version)
    const file = join(folder, `load-${version}.ndjson`)
    writeFileSync(file, `${lines.join('\n')}\n`)
    model.add(lines, version)
    begun = version
    return ['load', file, '--database', database]
  }
  const finish = async (args: readonly string[]) => {
    await runToEnd(holdfastProgram, args)
    committed = begun
  }
  return {
    committed: () => committed,
    begun: () => begun,
    load: () => finish(begin()),
    async loadAfterKill() {
      const args = begin()
      const child = start(untilExit, [process.execPath, holdfastProgram, ...args])
      await wait(200 + Math.random() * 400)
      await kill(child)
      await finish(args)
    },
    async loadAfterFailure(repair) {
      const args = begin()
      const isDone = await runToEnd(holdfastProgram, args).then(
        () => true,
        () => false,
      )
      await repair()
      if (isDone) throw new Error('a load succeeded in spite of the fault')
      await finish(args)
    },
  }
}

/** Every record says which load it is of, so that no answer of two versions can pass for one of either. */
function linesOf(model: Model, version: number): string[] {
  const touched = model.customers.slice(0, accountsMax)
  return touched.flatMap(({ customerId, banking }) => {
    const [accountId = ''] = banking
    const customer = model.customer(customerId, version) as object
    const balance = {
      accountId,
      currentBalance: `${version}.00`,
      availableBalance: `${version}.00`,
    }
    return [
      { type: 'customer', record: { ...customer, phoneNumber: `+61 ${version}` } },
      { type: 'banking.balance', record: balance },
      ...Array.from({ length: newTransactions }, (_, index) =>
        transaction(accountId, version, index),
      ),
      // One of the load before is changed, and one is taken away.
      ...(version > 1 ? [transaction(accountId, version - 1, 0, version)] : []),
      ...(version > 1 ? [deletion(accountId, version - 1, 1)] : []),
    ].map((line) => JSON.stringify(line))
  })
}

/** Some are newer than all that is there, some arrive late. */
function transaction(accountId: string, version: number, index: number, changedIn = version) {
  const time = Date.UTC(2026, 0, 1) + ((version * 7919 + index * 104_729) % 9000) * hourMs
  return {
    type: 'banking.transaction',
    record: {
      accountId,
      transactionId: `soak-${version}-${index}`,
      status: 'POSTED',
      description: `load ${changedIn}`,
      postingDateTime: new Date(time).toISOString(),
      amount: `${version}.00`,
    },
  }
}

function deletion(accountId: string, version: number, index: number) {
  const key = { accountId, transactionId: `soak-${version}-${index}` }
  return { type: 'banking.transaction', delete: key }
}
