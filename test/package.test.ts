import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { run } from './support/process.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')

/** The Node that runs this test goes first, for npm as well: the machine may have an older one. */
const environment = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
}

describe('the published package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-package-'))
  const project = join(folder, 'project')
  const installed = join(project, 'node_modules', 'holdfast')
  after(() => rmSync(folder, { recursive: true, force: true }))

  before(async () => {
    await succeed(root, 'npm', 'pack', '--pack-destination', folder)
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''

    mkdirSync(project)
    write('package.json', JSON.stringify({ name: 'project', private: true, type: 'module' }))
    const install = ['install', '--prefer-offline', '--no-audit', '--no-fund']
    await succeed(project, 'npm', ...install, '--prefix', project, join(folder, tarball))
  })

  it('has compiled code, its types, a licence and a README, and no source', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    const source = files.filter((path) => /(?<!\.d)\.ts$|\.test\./.test(path))

    assert.deepEqual(source, [])
    for (const path of ['LICENSE', 'README.md', join('dist', 'contract', 'index.d.ts')]) {
      assert.ok(files.includes(path), `${path} is missing`)
    }
  })

  it('runs its command', async () => {
    const command = join(project, 'node_modules', '.bin', 'holdfast')

    assert.match(await succeed(project, command, '--help'), /^Usage: holdfast /)
    assert.match(await succeed(project, command, 'openapi'), /"openapi": "3\.1\./)
  })

  it('gives the contract to programs', async () => {
    write(
      'validate.js',
      `import { operations, validator } from 'holdfast/contract'
       const { check, problems } = validator(operations.searchCustomers.body)
       console.log(check({ email: 'ana@example.com' }), problems({}).length)`,
    )

    assert.equal(await succeed(project, process.execPath, 'validate.js'), 'true 1\n')
  })

  it('gives the tester to programs', async () => {
    write(
      'check.js',
      `import { checkProvider, publishKeys } from 'holdfast/check'
       const keyring = await publishKeys({ port: 0 })
       const { results } = await checkProvider({
         url: 'http://127.0.0.1:1', subdomain: 's', keyring, customers: ['c1'], rate: 0,
       })
       await keyring.close()
       console.log(results[0].id, results[0].judgement)`,
    )

    assert.equal(await succeed(project, process.execPath, 'check.js'), 'tokens.good fail\n')
  })

  it('keeps its inside to itself', async () => {
    write('inside.js', `import 'holdfast/dist/program/main.js'`)

    const { status, stderr } = await runIn(project, process.execPath, 'inside.js')

    assert.match(stderr, /ERR_PACKAGE_PATH_NOT_EXPORTED/)
    assert.equal(status, 1)
  })

  it('gives its types to programs', async () => {
    write(
      'right.ts',
      `import { type BankingBalance, type Input, type Operation, operations } from 'holdfast/contract'
       export const balance: BankingBalance = {
         accountId: 'a1', currentBalance: '10.00', availableBalance: '9.00',
       }
       export const first: Operation = operations.listBankingBalances
       export const size = (input: Input<typeof operations.listBankingBalances>): number =>
         input.query['page-size'] + input.body.data.accountIds.length
       import { createClient, type SigningKey } from 'holdfast/client'
       declare const key: SigningKey
       const client = createClient({ providerUrl: 'https://bank.example', subdomain: 's', key })
       export const name = async (): Promise<string> =>
         (await client.getCustomer({ params: { customerId: 'c1' } })).name
       import { type CheckOptions, checkProvider, type Report } from 'holdfast/check'
       export const failures = async (options: CheckOptions): Promise<number> => {
         const report: Report = await checkProvider(options)
         return report.results.filter(({ judgement }) => judgement === 'fail').length
       }`,
    )

    const { status, stdout } = await typeCheck('right.ts')

    assert.equal(stdout, '')
    assert.equal(status, 0)
  })

  it('finds a wrong use of its types', async () => {
    write(
      'wrong.ts',
      `import { type BankingBalance, type Input, operations } from 'holdfast/contract'
       export const balance: BankingBalance = { accountId: 'a1', currentBalance: 10 }
       export const size = (input: Input<typeof operations.listBankingBalances>): string =>
         input.query['page-size']
       export const { frobnicate } = operations
       import { createClient } from 'holdfast/client'
       export const client = createClient({ providerUrl: 'https://bank.example' })`,
    )

    const { status, stdout } = await typeCheck('wrong.ts')

    for (const line of [2, 4, 5, 7]) assert.match(stdout, new RegExp(`^wrong\\.ts\\(${line},`, 'm'))
    assert.notEqual(status, 0)
  })

  function write(name: string, text: string): void {
    writeFileSync(join(project, name), text)
  }

  /** As strictly as can be, and the package's own declarations with it. */
  function typeCheck(file: string) {
    const flags = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--pretty', 'false']
    const target = ['--target', 'esnext', '--module', 'nodenext', '--types', '']
    return runIn(project, process.execPath, compiler, ...flags, ...target, file)
  }
})

const runIn = (cwd: string, ...command: readonly string[]) => run(command, { cwd, environment })

/** What a command printed. Its error is in the message of the test, if it has one. */
async function succeed(cwd: string, ...command: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await runIn(cwd, ...command)
  assert.equal(status, 0, `${command.join(' ')}\n${stdout}${stderr}`)
  return stdout
}
