import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { holdfast } from './command.ts'

let made: Promise<Buffer> | undefined

/** Puts a database with two customers and an account each into a file. It is loaded once and then copied. */
export async function loadSmallBank(file: string): Promise<void> {
  made ??= makeSmallBank()
  await writeFile(file, await made)
}

async function makeSmallBank(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bank-'))
  try {
    const [lines, database] = [join(folder, 'bank.ndjson'), join(folder, 'bank.db')]
    await writeFile(lines, bank.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const { status, stderr } = await holdfast(['load', lines, '--database', `sqlite:${database}`])
    assert.equal(status, 0, stderr)
    return await readFile(database)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const bank = ['1', '2'].flatMap((number) => {
  const [customerId, accountId] = [`c${number}`, `a${number}`]
  return [
    { type: 'customer', record: { id: customerId, name: 'Ana Silva', email: 'ana@example.com' } },
    { type: 'banking.account', holders: [{ customerId, isOwned: true }], record: { accountId } },
    {
      type: 'banking.balance',
      record: { accountId, currentBalance: '10.00', availableBalance: '9.00' },
    },
  ]
})
