import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe as describeUnit, it } from 'node:test'
import fc from 'fast-check'
import { recordTypes } from '../../src/contract/index.ts'
import { createCsvSource } from '../../src/intake/csv.ts'
import type { Row, RowSource } from '../../src/intake/rows.ts'
import { describeOnce } from '../support/engines.ts'
import { propertyRuns } from '../support/properties.ts'
import { openBank, splitLines } from './bank.ts'
import { createExamples, put } from './lines.ts'

const base = [put.customer('c1'), put.account('a1', ['c1'])]
const typed = ['--type', 'banking.transaction']

describeUnit('a CSV source', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('a', '"', ',', '\t', '\n', '\r\n', 'é', '\ufeff') }),
  )
  const table = fc.record({
    rows: fc.array(fc.tuple(cell, cell, cell), { maxLength: 20 }),
    lineBreak: fc.constantFrom('\n', '\r\n'),
    blankLines: fc.nat(2),
    hasMark: fc.boolean(),
    format: fc.constantFrom('csv' as const, 'tsv' as const),
    pieceLength: fc.integer({ min: 1, max: 64 }),
  })

  it('reads what was written, whatever the cells contain and however the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(table, async ({ rows, lineBreak, blankLines, hasMark, ...rest }) => {
        const { format, pieceLength } = rest
        const texts = rows.map((row) => formatRow(row, format))
        const gap = lineBreak + lineBreak.repeat(blankLines)
        const header = formatRow(['one', 'two', 'three'], format)
        const text = (hasMark ? '\ufeff' : '') + [header, ...texts].join(gap)
        const source = createCsvSource(openPieces(Buffer.from(text), pieceLength), format)

        const read = await readAll(source)

        let line = 2 + blankLines
        const expected = rows.map(([one, two, three], index) => {
          const row = { line, values: { one, two, three } }
          line += count(texts[index] ?? '', '\n') + 1 + blankLines
          return row
        })
        assert.deepEqual(
          read.map(({ line, values }) => ({ line, values })),
          expected,
        )
        const raw = read.map((row) => row.raw?.toString().replace(/\r$/, ''))
        assert.deepEqual(
          raw,
          texts.map((each) => each.replace(/\r$/, '')),
        )
      }),
      propertyRuns(200),
    )
  })

  it('reads a row as soon as it is complete', async () => {
    const pieces = ['a,b\n', '1,2\n', '3,"4"\r\n', '5,"x\n', 'y"\n', '6', ',7\n\n', '8,""']
    const read: (readonly string[])[] = []
    const open = async function* () {
      for (const piece of pieces) {
        read.push([])
        yield Buffer.from(piece)
      }
    }
    for await (const { rows } of createCsvSource({ name: 'data', open }, 'csv').read()) {
      const cells = rows.map(({ line, values }) => [line, ...Object.values(values ?? {})].join(' '))
      read.push([...(read.pop() ?? []), ...cells])
    }

    const expected = [[], ['2 1 2'], ['3 3 4'], [], ['4 5 x\ny'], [], ['6 6 7'], ['8 8 ']]
    assert.deepEqual(read, expected)
  })

  it('bounds the length of a row, also of one with empty cells only', async () => {
    const header = Buffer.from('a,b\n1,2\n')
    for (const content of ['x', ',', '"']) {
      const long = Buffer.from(content.repeat(100_001))
      const bytes = { name: 'data', open: () => Readable.from([header, long]) }
      const source = createCsvSource(bytes, 'csv', { rowBytesMax: 1000 })

      const rows = await readAll(source)

      assert.deepEqual(
        rows.map(({ line, problems }) => ({ line, reason: problems?.[0]?.reason })),
        [
          { line: 2, reason: undefined },
          { line: 3, reason: 'must be at most 1000 bytes long, or a quote is not closed' },
        ],
      )
    }
  })

  // A parser that reads the rest of the row again for each cell would take many minutes.
  it('reads a row with millions of cells, of which some have quotes', async () => {
    const long = [`${'a,'.repeat(2_000_000)}"b"\n`, `${'a,"b",'.repeat(500_000)}a\n`]
    const bytes = Buffer.from(`one,two\n${long.join('')}1,2\n`)
    const source = createCsvSource(openPieces(bytes, 1024 * 1024), 'csv')

    const rows = await readAll(source)

    assert.deepEqual(
      rows.map(({ problems, values }) => problems?.[0]?.reason ?? values),
      [
        'has 2000001 cells, but the header has 2',
        'has 1000001 cells, but the header has 2',
        { one: '1', two: '2' },
      ],
    )
  })
})

describeOnce('holdfast load of a table', () => {
  it('loads every type with columns named after its fields', async (t) => {
    const bank = await openBank(t)
    const lines = createExamples()
    for (const type of Object.keys(recordTypes) as (keyof typeof lines)[]) {
      const { type: _type, record, ...envelope } = JSON.parse(lines[type])
      const cells = [...flatten(record), ...flatten(envelope)]
      const rows = [cells.map(([column]) => column), cells.map(([, content]) => content)]
      bank.write('table.csv', rows.map((row) => formatRow(row, 'csv')).join('\n'))

      const { status, stderr } = await bank.loadFiles(['table.csv'], '--type', type)

      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, type)
    }

    const dumped = splitLines(await bank.dump())
    // A field that accepts text and numbers is text.
    const expected = Object.values(lines).map((line) => line.replace(/,(6203456790)]/, ',"$1"]'))
    assert.deepEqual(
      new Set(dumped.map((line) => JSON.parse(line))),
      new Set(expected.map((line) => JSON.parse(line))),
    )
  })

  it('reads numbers and booleans by the contract, and leaves out empty cells and list elements', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1')])
    bank.write('accounts.tsv', [
      [
        'accountId',
        'bsb',
        'depositRate',
        'isOwned',
        'nickname',
        'users[0].id',
        'users[1].id',
        'holders[0].customerId',
      ].join('\t'),
      ['a1', '062000', '1.50', 'false', '', '', '7', 'c1'].join('\t'),
    ])

    const { status, stderr } = await bank.loadFiles(['accounts.tsv'], '--type', 'banking.account')

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    assert.equal(
      splitLines(await bank.dump())[1],
      '{"type":"banking.account","holders":[{"customerId":"c1","isOwned":false}],"record":{"accountId":"a1","bsb":62000,"depositRate":1.50,"isOwned":false,"users":[{"id":7}]}}',
    )
  })

  it('reports the columns of a header once', async (t) => {
    const bank = await openBank(t)
    bank.write('table.CSV', ['accountId,amount,Reference,account', 'a1,1,x,y', 'a1,2,x,y'])

    const { status, stderr } = await bank.loadFiles(['table.CSV'], ...typed)

    assert.equal(status, 1)
    const unknown = 'is not a field with one value; rename the column, or use --map'
    const missing = 'is required, but the header has no such column'
    assert.deepEqual(await bank.listErrors(['table.CSV'], ...typed), [
      `table.CSV:1: Reference: ${unknown}`,
      `table.CSV:1: account: ${unknown}`,
      `table.CSV:1: transactionId: ${missing}`,
      `table.CSV:1: status: ${missing}`,
    ])
    assert.match(stderr, /^4 errors in 1 line\. Nothing was changed\.$/m)
  })

  const header = 'accountId,transactionId,status,amount,description'
  for (const { name, rows, errors } of [
    {
      name: 'a field',
      rows: ['a1,t1,POSTED,1.00,"two', 'lines"', '', 'a1,t2,POSTED,abc,', 'a1,t3,X,1,'],
      errors: [/^table.csv:5: amount: must be a decimal string$/, /^table.csv:6: status: must be /],
    },
    {
      name: 'the number of cells',
      rows: ['a1,t1,POSTED,1.00', 'a1,t2,POSTED,1.00,x,y'],
      errors: [
        /^table.csv:2: line: has 4 cells, but the header has 5$/,
        /^table.csv:3: line: has 6 cells, but the header has 5$/,
      ],
    },
    {
      name: 'text after a quote',
      rows: ['a1,t1,POSTED,1.00,x', 'a1,t2,POSTED,1.00,"a"b', 'a1,t3,POSTED,1.00,x'],
      errors: [/^table.csv:3: line: has text after a closing quote$/],
    },
    {
      name: 'a quote within a cell',
      rows: ['a1,t1,POSTED,1.00,a"b"'],
      errors: [/^table.csv:2: line: has a quote in a cell that does not start with one$/],
    },
    {
      name: 'a quote that is not closed',
      rows: ['a1,t1,POSTED,1.00,x', 'a1,t2,POSTED,1.00,"x', 'a1,t3,POSTED,1.00,x'],
      errors: [/^table.csv:3: line: has a quote that is not closed$/],
    },
  ]) {
    it(`rejects a row for ${name}, with the line where it starts`, async (t) => {
      const bank = await openBank(t)
      await bank.fill(base)
      bank.write('table.csv', [header, ...rows])

      const found = await bank.listErrors(['table.csv'], ...typed)

      assert.equal(found.length, errors.length)
      for (const [index, error] of errors.entries()) assert.match(found[index] ?? '', error)
    })
  }

  it('rejects text in another encoding and headers that are not names', async (t) => {
    const bank = await openBank(t)
    await bank.fill(base)
    const cases: [Uint8Array | string, string][] = [
      [Buffer.from(`${header}\na1,t1,POSTED,1,Zo\xeb\n`, 'latin1'), '2: line: must be UTF-8'],
      ['a,b,a\n', '1: line: column 3 has the name of column 1'],
      [`${header}\ra1,t1,POSTED\r`, '1: line: column 5 has a carriage return without a line feed'],
      [`${','.repeat(5000)}\n`, '1: line: must be a header with at most 5000 columns'],
      ['a,,b\n', '1: line: column 2 has no name'],
      ['', '1: line: must be a header with the column names'],
      [
        'accountId,transactionId,status,amount,__proto__\n',
        '1: __proto__: is not a field with one value; rename the column, or use --map',
      ],
    ]
    for (const [content, error] of cases) {
      bank.write('table.csv', content)
      const found = await bank.listErrors(['table.csv'], ...typed)
      assert.equal(found[0], `table.csv:${error}`)
    }
  })

  it('reports no value of a table without a header', async (t) => {
    const bank = await openBank(t)
    bank.write('table.csv', ['a1,t1,POSTED,7.25,Pharmacy', 'a1,t2,POSTED,7.25,Pharmacy'])

    assert.deepEqual(await bank.listErrors(['table.csv'], ...typed), [
      'table.csv:1: line: must be a header with fields of banking.transaction, or use --map',
    ])
  })

  it('needs a type or a map for a table, and a table for a type', async (t) => {
    const bank = await openBank(t)
    bank.write('table.csv', [header])
    bank.write('data.ndjson', base)
    bank.write('map.ts', 'export default () => null')
    const map = bank.path('map.ts')
    const cases: [string, string[], RegExp][] = [
      [
        'table.csv',
        [],
        /table\.csv is a table: add --type or --map with a mapping function, which holdfast map init \S*table\.csv writes/,
      ],
      ['data.ndjson', typed, /data\.ndjson: --type is for tables: add --format csv or tsv/],
      ['table.csv', ['--type', 'toString'], /--type must be one of customer, /],
      ['table.csv', [...typed, '--map', map], /--type and --map exclude each other/],
    ]
    for (const [file, flags, message] of cases) {
      const { status, stderr } = await bank.loadFiles([file], ...flags)
      assert.equal(status, 2)
      assert.match(stderr, message)
    }
  })

  it('reads the format of --format whatever the extension is', async (t) => {
    const bank = await openBank(t)
    await bank.fill(base)
    bank.write('table.txt', [`${header}`, 'a1,t1,POSTED,1.00,x'])

    const { status } = await bank.loadFiles(['table.txt'], ...typed, '--format', 'csv')

    assert.equal(status, 0)
    assert.equal(splitLines(await bank.dump()).length, 3)
  })
})

function openPieces(bytes: Buffer, length: number) {
  const pieces = function* () {
    for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
  }
  return { name: 'data', open: () => Readable.from(pieces()) }
}

async function readAll(source: RowSource): Promise<Row[]> {
  const rows: Row[] = []
  for await (const chunk of source.read({ withRaw: true })) rows.push(...chunk.rows)
  return rows
}

function formatRow(cells: readonly string[], format: 'csv' | 'tsv'): string {
  const delimiter = format === 'csv' ? ',' : '\t'
  return cells
    .map((cell) => (/^[\w.-]+$/.test(cell) ? cell : `"${cell.replaceAll('"', '""')}"`))
    .join(delimiter)
}

function count(text: string, part: string): number {
  return text.split(part).length - 1
}

/** The columns and cells of a value. */
function flatten(value: unknown, path = ''): [string, string][] {
  if (Array.isArray(value)) {
    return value.flatMap((element, index) => flatten(element, `${path}[${index}]`))
  }
  if (typeof value !== 'object' || value === null) return [[path, String(value)]]
  return Object.entries(value).flatMap(([name, content]) =>
    flatten(content, path === '' ? name : `${path}.${name}`),
  )
}
