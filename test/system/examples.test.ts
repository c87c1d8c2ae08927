import assert from 'node:assert/strict'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Report } from '../../src/check/index.ts'
import { createScope, describeOnce, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findFreePort, holdfastProgram, run, startListening } from '../support/process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Why checks are skipped for a provider that leaves out energy data. */
const withoutEnergy = [
  ...['E1', 'E2', 'E3', 'E4', 'E5'].map((ref) => `${ref} is left out intentionally`),
  'the provider does not have both B2 and E2',
]

/** Runs the commands in the README of an example, the last of which checks it. Returns the report. */
async function runExample(t: Scope, name: string): Promise<Report> {
  const scope = createScope(t)
  const cwd = await makeClone(scope)
  const commands = await readCommands(join(cwd, 'examples', name, 'README.md'))
  const check = commands.pop()
  for (const command of commands) {
    const shell = ['sh', '-c', `exec ${command}`]
    if (/ serve | \S+\/server\.[jt]s\b/.test(command)) await startListening(scope, shell, { cwd })
    else assert.equal((await run(shell, { cwd })).status, 0, command)
  }
  const shell = ['sh', '-c', `exec ${check} --rate 0 --json report.json`]
  const { status, stdout, stderr } = await run(shell, { cwd })

  assert.equal(status, 0, stdout + stderr)
  return JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'))
}

/** What the commands need of a clone of the repository. */
async function makeClone(scope: Scope): Promise<string> {
  const folder = await temporaryFolder(scope)
  for (const name of ['examples', 'package.json']) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** The commands of a README, with free ports, and with the program under test, which npx would not find. */
async function readCommands(readme: string): Promise<string[]> {
  const first = await findFreePort(3)
  const ports = new Map(['8090', '9000', '9090'].map((port, index) => [port, `${first + index}`]))
  return [...readFileSync(readme, 'utf8').matchAll(/```console\n(.*?)```/gs)]
    .flatMap(([, block = '']) => block.trim().split('\n'))
    .map((command) =>
      command
        .replace(/^npx node /, `'${process.execPath}' `)
        .replace(/^npx holdfast /, `'${process.execPath}' '${holdfastProgram}' `)
        .replaceAll(/\b\d{4}\b/g, (port) => ports.get(port) ?? port),
    )
}

function listReasons({ results }: Report, judgement: 'fail' | 'skip'): string[] {
  const reasons = results
    .filter((result) => result.judgement === judgement)
    .map(({ reason = '' }) => reason)
  return [...new Set(reasons)].sort()
}

describeOnce('the examples', () => {
  for (const [title, name] of [
    ['a guard in front of an Express service', 'guard-express'],
    ['accounts in the database with a live ledger behind the guard', 'hybrid'],
  ] as const) {
    it(`pass every check of a bank: ${title}`, async (t) => {
      const report = await runExample(t, name)

      assert.equal(report.profile, 'full')
      assert.deepEqual(report.capabilities, ['no-energy'])
      assert.deepEqual(listReasons(report, 'fail'), [])
      assert.deepEqual(listReasons(report, 'skip'), withoutEnergy)
    })
  }
})
