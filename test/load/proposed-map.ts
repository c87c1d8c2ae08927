import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { holdfastProgram, run, runInProcess } from '../support/process.ts'
import { type Bank, openBank, splitLines } from './bank.ts'
import { put } from './lines.ts'

/** Proposes a mapping, runs the dry run that the command prints, and then the same load. */
export async function proposeAndLoad(bank: Bank, file: string, ...flags: readonly string[]) {
  const proposed = await propose(bank, file, ...flags)
  assert.equal(proposed.status, 0, proposed.stderr)
  await runShown(bank, proposed.stdout)
  return proposed.stdout
}

/** Runs the dry run that a proposal shows, and then the same load. */
export async function runShown(bank: Bank, proposal: string): Promise<void> {
  const dryRun = proposal.trimEnd().split('\n').at(-1)?.trim() ?? ''
  const shell = (command: string) =>
    run(
      ['bash', '-o', 'pipefail', '-c', `npx() { shift; "$NODE" "$LAUNCHER" "$@"; }\n${command}`],
      {
        cwd: bank.folder,
        environment: {
          PATH: process.env['PATH'],
          NODE: process.execPath,
          LAUNCHER: holdfastProgram,
          HOLDFAST_DATABASE: bank.database(),
        },
      },
    )
  const validated = await shell(dryRun)
  assert.equal(validated.status, 0, validated.stderr)
  assert.match(validated.stdout, /Nothing was changed/)
  const loaded = await shell(dryRun.replace(' --dry-run', ''))
  assert.equal(loaded.status, 0, loaded.stderr)
}

export const propose = (bank: Bank, file: string, ...flags: readonly string[]) =>
  runInProcess(['map', 'init', bank.path(file), '--output', bank.path('map.ts'), ...flags])

export const records = async (bank: Bank, type: string) =>
  splitLines(await bank.dump())
    .map((text) => JSON.parse(text) as { type: string; record: Record<string, unknown> })
    .filter((line) => line.type === type)
    .map(({ record }) => record)

export async function openWithAccount(t: TestContext): Promise<Bank> {
  const bank = await openBank(t)
  await bank.fill([put.customer('c1'), put.account('a1', ['c1'])])
  return bank
}
