import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Report } from '../../src/check/index.ts'
import { withoutRestricted } from '../support/checks.ts'
import { createScope, describeOnce, postgresUrl, runSql, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findFreePort } from '../support/free-port.ts'
import { holdfastProgram, run, startListening } from '../support/process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The database that a README creates, and the server that it is on. */
const namedDatabase = 'core_bank'
const namedServer = 'postgres://localhost/'

/** Runs the commands in the README of an example, the last of which checks it. Returns the report. */
async function runExample(t: Scope, name: string): Promise<Report> {
  const scope = createScope(t)
  const cwd = await makeClone(scope)
  const commands = await readCommands(join(cwd, 'examples', name, 'README.md'))
  const check = commands.pop()
  for (const command of commands) {
    const shell = ['sh', '-c', `exec ${command}`]
    if (/^(createdb|psql) /.test(command)) await runPostgresCommand(scope, cwd, command)
    else if (/ serve |\/server\.[jt]s /.test(command)) await startListening(scope, shell, { cwd })
    else assert.equal((await run(shell, { cwd })).status, 0, command)
  }
  const shell = ['sh', '-c', `exec ${check} --rate 0 --json report.json`]
  const { status, stdout, stderr } = await run(shell, { cwd })

  assert.equal(status, 0, stdout + stderr)
  return JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'))
}

/** What the commands need of a clone of the repository after the build. */
async function makeClone(scope: Scope): Promise<string> {
  const folder = await temporaryFolder(scope)
  for (const name of ['examples', 'package.json']) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  symlinkSync(join(dirname(holdfastProgram), '..', 'dist'), join(folder, 'dist'))
  return folder
}

/**
 * The commands of a README, with free ports, with a database of its own, and with the program under test, which npx would
 * not find.
 */
async function readCommands(readme: string): Promise<string[]> {
  const text = readFileSync(readme, 'utf8')
  const first = await findFreePort(3)
  const ports = new Map(['8090', '9000', '9090'].map((port, index) => [port, `${first + index}`]))
  const database = `core_${randomBytes(8).toString('hex')}`
  const server = text.includes(namedServer) ? new URL('/', await postgresUrl()).href : ''
  return [...text.matchAll(/```console\n(.*?)```/gs)]
    .flatMap(([, block = '']) => block.trim().split('\n'))
    .map((command) =>
      command
        .replaceAll(/\b\d{4}\b/g, (port) => ports.get(port) ?? port)
        .replace(namedServer, server)
        .replace(namedDatabase, database)
        .replace(/^npx node /, `'${process.execPath}' `)
        .replace(/^npx holdfast /, `'${process.execPath}' '${holdfastProgram}' `),
    )
}

/** The tools of PostgreSQL may be missing, or those of another version. */
async function runPostgresCommand(scope: Scope, cwd: string, command: string): Promise<void> {
  const [program, name = '', ...flags] = command.split(' ')
  if (program === 'createdb') {
    await runSql(`create database ${name}`)
    scope.after(async () => void (await runSql(`drop database ${name} with (force)`)))
    return
  }
  const database = new URL(name, await postgresUrl()).href
  const files = flags.filter((flag) => flag !== '--file')
  for (const file of files) await runSql(readFileSync(join(cwd, file), 'utf8'), database)
}

function listReasons({ results }: Report, judgement: 'fail' | 'skip'): string[] {
  const reasons = results
    .filter((result) => result.judgement === judgement)
    .map(({ reason = '' }) => reason)
  return [...new Set(reasons)].sort()
}

/** Why checks are skipped for a provider that leaves out energy data. */
const withoutEnergy = [
  ...['E1', 'E2', 'E3', 'E4', 'E5', 'EX1'].map((ref) => `${ref} is left out intentionally`),
  'the provider does not have both B2 and E2',
]

/** An extension of the interface needs no capability. */
const extension = 'left out: an extension of the interface, which the provider does not have'
const withoutSingleAccounts = [
  `BX1 (${extension}); EX1 (left out intentionally)`,
  `BX1 is ${extension}`,
]

const examples = [
  {
    name: 'guard-express',
    title: 'a guard in front of an Express service',
    capabilities: ['no-energy'],
    skipped: [...withoutSingleAccounts, ...withoutEnergy],
  },
  {
    name: 'hybrid',
    title: 'accounts in the database, with a live ledger behind the guard',
    capabilities: ['no-energy'],
    skipped: withoutEnergy,
  },
  {
    name: 'source-postgres',
    title: 'a source over a core banking database',
    capabilities: ['no-energy', 'no-B5'],
    skipped: ['B5 is left out intentionally', ...withoutSingleAccounts, ...withoutEnergy],
  },
]

describeOnce('the examples', () => {
  for (const { name, title, capabilities, skipped } of examples) {
    it(`pass every check except for those of stated capabilities: ${title}`, async (t) => {
      const report = await runExample(t, name)

      assert.equal(report.profile, 'full')
      assert.deepEqual(report.capabilities, capabilities)
      assert.deepEqual(listReasons(report, 'fail'), [])
      assert.deepEqual(listReasons(report, 'skip'), [...withoutRestricted, ...skipped].sort())
    })
  }
})
