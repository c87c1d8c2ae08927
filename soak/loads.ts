import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { runToEnd, untilExit } from '../bench/processes.ts'
import { holdfastProgram, kill, start } from '../test/support/process.ts'
import type { Model } from './model.ts'

/** Loads that change the served data. Each load is atomic and creates one version. */
export interface Loads {
  committed(): number
  started(): number
  load(): Promise<void>
  /** Starts a load, kills it and repeats it. */
  loadAfterKill(): Promise<void>
  /** Expects a load to fail because of a fault, and repeats it after the repair. */
  loadAfterFailure(repair: () => Promise<void>): Promise<void>
  /** Causes a fault during a load, which may fail or not. Repairs it, and repeats the load. */
  loadDuringFault(fault: () => Promise<void>, repair: () => Promise<void>): Promise<void>
}

/** How many accounts each load changes, and how many transactions each of them gets. */
const accountsMax = 20
const newTransactions = 10

const hourMs = 3_600_000

export function openLoads(model: Model, database: string, folder: string): Loads {
  let [committed, started] = [0, 0]
  const prepare = (): string[] => {
    const version = started + 1
    const lines = createLines(model, version)
    const file = join(folder, `load-${version}.ndjson`)
    writeFileSync(file, `${lines.join('\n')}\n`)
    model.add(lines, version)
    started = version
    return ['load', file, '--database', database]
  }
  const finish = async (args: readonly string[]) => {
    await runToEnd(holdfastProgram, args)
    committed = started
  }
  return {
    committed: () => committed,
    started: () => started,
    load: () => finish(prepare()),
    async loadAfterKill() {
      const args = prepare()
      const child = start(untilExit, [process.execPath, holdfastProgram, ...args])
      await wait(200 + Math.random() * 400)
      await kill(child)
      await finish(args)
    },
    async loadAfterFailure(repair) {
      const args = prepare()
      const isSuccess = await runToEnd(holdfastProgram, args).then(
        () => true,
        () => false,
      )
      await repair()
      if (isSuccess) throw new Error('a load succeeded despite the fault')
      await finish(args)
    },
    async loadDuringFault(fault, repair) {
      const args = prepare()
      const ended = runToEnd(holdfastProgram, args).catch(() => {})
      await fault()
      await ended
      await repair()
      await finish(args)
    },
  }
}

/** Every record contains its version, so that a response that mixes two versions matches neither. */
function createLines(model: Model, version: number): string[] {
  const changed = model.customers.slice(0, accountsMax)
  return changed.flatMap(({ customerId, banking }) => {
    const [accountId = ''] = banking
    const customer = model.customer(customerId, version - 1) as object
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
      // Changes one transaction of the previous load, and deletes another.
      ...(version > 1 ? [transaction(accountId, version - 1, 0, version)] : []),
      ...(version > 1 ? [deletion(accountId, version - 1, 1)] : []),
    ].map((line) => JSON.stringify(line))
  })
}

/** Some are newer than all existing transactions, others are not. */
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
