import assert from 'node:assert/strict'
import { it } from 'node:test'
import { linesPerRowMax } from '../../src/intake/mapped-rows.ts'
import { describeOnce } from '../support/engines.ts'
import { runHoldfast } from '../support/process.ts'
import { type Bank, openBank, splitLines } from './bank.ts'
import { put } from './lines.ts'

/** Loads a file of the folder with a mapping function. */
async function loadMapped(bank: Bank, map: string, file: string) {
  bank.write('map.ts', map)
  return bank.loadFiles([file], '--map', bank.path('map.ts'))
}

const customers = ['Id,Name,Mail', 'c1,Ana,ana@example.com', 'c2,Jo,', 'c3,Kim,kim@example.com']

const customerMap = `
import type { Line, MapRow } from 'holdfast/contract'

type Row = { Id: string; Name: string; Mail: string }

const map: MapRow<Row> = (row): Line | null => {
  if (row.Mail === '') return null
  return { type: 'customer', record: { id: row.Id, name: row.Name, email: row.Mail } }
}
export default map
`

describeOnce('holdfast load --map', () => {
  it('loads the lines that a typed function returns, and skips rows without lines', async (t) => {
    const bank = await openBank(t)
    bank.write('customers.csv', customers)

    const { status, stdout, stderr } = await loadMapped(bank, customerMap, 'customers.csv')

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    assert.match(stdout, /^2 lines loaded/)
    assert.deepEqual(splitLines(await bank.dump()), [
      '{"type":"customer","record":{"id":"c1","name":"Ana","email":"ana@example.com"}}',
      '{"type":"customer","record":{"id":"c3","name":"Kim","email":"kim@example.com"}}',
    ])
  })

  it('imports TypeScript as ES modules, also in a folder whose package.json has another type', async (t) => {
    const bank = await openBank(t)
    bank.write('package.json', '{"type":"commonjs"}')
    bank.write('names.ts', 'export const toName = (name: string): string => name.toUpperCase()')
    bank.write('customers.csv', customers)
    const map = `import { toName } from './names.ts'\n${customerMap.replace('row.Name,', 'toName(row.Name),')}`

    const { status, stderr } = await loadMapped(bank, map, 'customers.csv')

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    assert.match(await bank.dump(), /"name":"ANA"/)
  })

  it('maps JSON objects of any shape, awaits promises and passes the location of the row', async (t) => {
    const bank = await openBank(t)
    bank.write('people.ndjson', ['{"person":{"key":7}}', '', '{"person":{"key":8}}'])

    const { status, stderr } = await loadMapped(
      bank,
      `export default async ({ person }, { file, line }) => [
        { type: 'customer', record: { id: 'c' + person.key, name: file.split(/[\\\\/]/).at(-1) + line, email: 'a@example.com' } },
      ]`,
      'people.ndjson',
    )

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    assert.deepEqual(
      splitLines(await bank.dump()).map((line) => JSON.parse(line).record.name),
      ['people.ndjson1', 'people.ndjson3'],
    )
  })

  it('loads the lines of a row in order, and reports each error at the row', async (t) => {
    const bank = await openBank(t)
    bank.write('rows.csv', ['id', 'x', 'y'])

    const { status, stderr } = await loadMapped(
      bank,
      `export default ({ id }) => [
        { type: 'customer', record: { id, name: 'first', email: 'a@example.com' } },
        { type: 'customer', record: { id, name: 'second', email: 'a@example.com' } },
        ...(id === 'y' ? [{ type: 'customer', record: { id, name: 1 } }, { type: 'other' }] : []),
      ]`,
      'rows.csv',
    )
    assert.equal(status, 1)
    assert.deepEqual(splitLines(stderr).slice(0, 2), [
      '1 × name: must be a string (at rows.csv:3)',
      '1 × type: must be one of customer, banking.account, banking.balance, banking.transaction, banking.scheduledPayment, banking.directDebit, energy.account, energy.invoice, energy.billing, account.contact, restriction, product (at rows.csv:3)',
    ])

    bank.write('rows.csv', ['id', 'x'])
    await bank.loadFiles(['rows.csv'], '--map', bank.path('map.ts'))
    assert.equal(JSON.parse(await bank.dump()).record.name, 'second')
  })

  it('reports what a function throws by its position, without the message', async (t) => {
    const bank = await openBank(t)
    bank.write('customers.csv', customers)
    const throwing = `export default (row) => {
  const fail = () => {
    throw new Error('no e-mail address of ' + row.Name)
  }
  return row.Mail === '' ? fail() : null
}`
    const rejecting = 'export default async (row) => row.Mail === "" ? row.a.b : null'
    const cases: [string, string][] = [
      [throwing, 'the mapping function failed at map.ts:3:11'],
      [rejecting, 'the mapping function failed at map.ts:1:55'],
      ['export default () => { throw "Jo" }', 'the mapping function failed'],
      ['export default () => { throw Object.create(null) }', 'the mapping function failed'],
      ['export default () => ({ toJSON() {} })', 'must be a JSON object'],
    ]
    for (const [map, reason] of cases) {
      const file = `map-${cases.findIndex(([each]) => each === map)}.ts`
      bank.write(file, map)
      const { status, stderr } = await bank.loadFiles(['customers.csv'], '--map', bank.path(file))
      assert.equal(status, 1)
      assert.match(
        stderr,
        new RegExp(
          `^\\d × line: ${reason.replace('map.ts', file)} \\(.*at customers.csv:[23]\\)$`,
          'm',
        ),
      )
      assert.doesNotMatch(stderr, /\bJo\b/)
    }
  })

  it('names the flag that prints what a function throws', async (t) => {
    const bank = await openBank(t)
    bank.write('rows.csv', ['id', 'x'])
    bank.write('map.ts', 'export default () => { throw new Error("unknown code") }')
    const load = (...flags: readonly string[]) =>
      bank.loadFiles(['rows.csv'], '--map', bank.path('map.ts'), ...flags)

    const hint = /^--show-values prints the message of the mapping function/m
    assert.match((await load()).stderr, hint)
    const { stderr } = await load('--show-values')
    assert.match(stderr, /unknown code/)
    assert.doesNotMatch(stderr, hint)
  })

  it('says how many rows were read if the function returns no line', async (t) => {
    const bank = await openBank(t)
    bank.write('rows.csv', ['id', 'x', 'y'])
    bank.write('map.ts', 'export default () => null')

    const { stdout } = await bank.loadFiles(['rows.csv'], '--map', bank.path('map.ts'))

    assert.match(stdout, /^2 rows read: the mapping function returned no line$/m)
  })

  it('imports a function without a warning of Node, with and without a package.json', async (t) => {
    const bank = await openBank(t)
    bank.write('rows.csv', ['id', 'x'])
    const map =
      'export default (row) => ({ type: "customer", record: { id: row.id, name: "Ana" } })'
    for (const [index, manifest] of [undefined, '{}', '{"type":"commonjs"}'].entries()) {
      if (manifest !== undefined) bank.write('package.json', manifest)
      bank.write(`map-${index}.ts`, map)
      const files = ['--map', bank.path(`map-${index}.ts`), bank.path('rows.csv')]

      const { status, stderr } = await runHoldfast(['load', ...files], {
        environment: { HOLDFAST_DATABASE: bank.database() },
      })

      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    }
  })

  it('rejects results that are not lines, and too many lines', async (t) => {
    const bank = await openBank(t)
    bank.write('rows.csv', ['id', 'x'])
    const cases: [string, string][] = [
      ['"text"', 'must return a line, a list of lines or nothing'],
      ['[{}, null]', 'must return a line, a list of lines or nothing'],
      [
        `Array.from({ length: ${linesPerRowMax + 1} }, () => ({}))`,
        'must not return more than 4096 lines for a row',
      ],
    ]
    for (const [index, [result, reason]] of cases.entries()) {
      bank.write(`map-${index}.ts`, `export default () => (${result})`)
      const { status, stderr } = await bank.loadFiles(
        ['rows.csv'],
        '--map',
        bank.path(`map-${index}.ts`),
      )
      assert.deepEqual(
        [status, splitLines(stderr)[0]],
        [1, `1 × line: the mapping function ${reason} (at rows.csv:2)`],
      )
    }
  })

  it('names the file and the line of a function that cannot be imported', async (t) => {
    const bank = await openBank(t)
    bank.write('data.ndjson', [put.customer('c1')])
    const cases: [string, string, RegExp][] = [
      [
        'syntax.ts',
        'export default (row) => {\n  const x = ;\n}',
        /^syntax\.ts cannot be imported at syntax\.ts:2: Expression expected/,
      ],
      [
        'enum.ts',
        '\nenum A { X }\nexport default () => A.X',
        /^enum\.ts cannot be imported at enum\.ts:2: TypeScript enum is not supported/,
      ],
      [
        'missing.ts',
        'import { x } from "./none.ts"\nexport default () => x',
        /^missing\.ts cannot be imported: Cannot find module/,
      ],
      [
        'none.mts',
        'export const map = () => null',
        /^the default export of none\.mts must be a function$/m,
      ],
      ['absent.ts', '', /^absent\.ts: file not found/],
    ]
    for (const [name, code, message] of cases) {
      if (code !== '') bank.write(name, code)
      const { status, stderr } = await bank.loadFiles(['data.ndjson'], '--map', bank.path(name))
      assert.equal(status, 2, stderr)
      assert.match(stderr, message)
    }
  })
})
