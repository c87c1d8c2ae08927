import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import map from '../../examples/core-banking-csv/map.ts'
import { describeOnce } from '../support/engines.ts'
import { openBank, splitLines } from './bank.ts'

const mapFile = fileURLToPath(new URL('../../examples/core-banking-csv/map.ts', import.meta.url))

const customer = {
  CUST_NO: '1001',
  SURNAME: 'SILVA',
  GIVEN_NAME: 'Ana',
  EMAIL: 'Ana.Silva@Example.com',
  MOBILE: '0491570000',
  LAST_CHANGED: '01/01/2025 08:30:00',
}
const account = {
  ACCT_NO: '20000001',
  PROD_CD: 'SAV',
  NICKNAME: '',
  OPEN_DT: '01/01/2015',
  STATUS: 'A',
  LEDGER_BAL: '3,396.63 CR',
  AVAIL_BAL: '3,396.44 CR',
}
const transaction = {
  ACCT_NO: '20000001',
  SEQ: '1',
  POST_DT: '01/09/2026',
  POST_TM: '060000',
  TRAN_CD: 'POS',
  NARRATIVE: 'Corner Bakery',
  DEBIT: '553.72',
  CREDIT: '',
  PENDING: 'N',
}

type Changes = Readonly<Record<string, string>>

/** Maps a row to its records. */
async function mapRow(file: string, row: Changes): Promise<Record<string, unknown>[]> {
  const lines = [await map(row, { file, line: 2 })].flat()
  return lines.map((line) => (line as { record: Record<string, unknown> }).record)
}

async function mapCustomer(changes: Changes) {
  const [record = {}] = await mapRow('customers.csv', { ...customer, ...changes })
  return record
}

async function mapAccount(changes: Changes) {
  const [record = {}, balance = {}] = await mapRow('accounts.csv', { ...account, ...changes })
  return { record, balance }
}

async function mapTransaction(changes: Changes) {
  const [record = {}] = await mapRow('transactions.csv', { ...transaction, ...changes })
  return record
}

function toCsv(row: Changes): string[] {
  return [Object.keys(row), Object.values(row)].map((cells) =>
    cells.map((cell) => `"${cell}"`).join(','),
  )
}

describeOnce('the mapping function of the CSV exports', () => {
  for (const [surname, familyName] of [
    ['MÜLLER', 'Müller'],
    ['MU\u0308LLER', 'Mu\u0308ller'],
    ['ÖZ-ÇELIK', 'Öz-Çelik'],
    ["O'BRIEN", "O'Brien"],
    ['VAN DER BERG', 'Van Der Berg'],
  ] as const) {
    it(`maps the surname ${surname} to ${familyName}`, async () => {
      const record = await mapCustomer({ SURNAME: surname })

      assert.deepEqual([record['familyName'], record['name']], [familyName, `Ana ${familyName}`])
    })
  }

  it('leaves out an empty e-mail address and an empty phone number', async () => {
    const record = await mapCustomer({ EMAIL: '', MOBILE: '' })

    assert.deepEqual(['email' in record, 'phoneNumber' in record], [false, false])
  })

  for (const [text, amount] of [
    ['3,396.63 DR', '-3396.63'],
    ['3,396.63 Dr', '-3396.63'],
    ['1,003,396.63 dr', '-1003396.63'],
    ['3,396.63 Cr', '3396.63'],
    ['507.31 CR', '507.31'],
  ] as const) {
    it(`maps the balance ${text} to ${amount}`, async () => {
      const { balance } = await mapAccount({ LEDGER_BAL: text, AVAIL_BAL: text })

      assert.deepEqual([balance['currentBalance'], balance['availableBalance']], [amount, amount])
    })
  }

  for (const [name, changes, amount] of [
    ['a debit', { DEBIT: '1,553.72', CREDIT: '' }, '-1553.72'],
    ['a credit', { DEBIT: '', CREDIT: '1,553.72' }, '1553.72'],
  ] as const) {
    it(`removes the thousands separators of ${name}`, async () => {
      assert.equal((await mapTransaction(changes))['amount'], amount)
    })
  }

  for (const [name, time, instant] of [
    ['before the gap', '04/10/2026 01:59:59', '2026-10-03T15:59:59Z'],
    ['after the gap', '04/10/2026 03:00:00', '2026-10-03T16:00:00Z'],
    ['that occurs twice as the earlier one', '05/04/2026 02:30:00', '2026-04-04T15:30:00Z'],
  ] as const) {
    it(`maps a time ${name}`, async () => {
      assert.equal((await mapCustomer({ LAST_CHANGED: time }))['updatedAt'], instant)
    })
  }

  const skipped = 'does not exist: it is skipped at the start of daylight saving time'
  for (const [name, reject, message] of [
    ['an unknown status', () => mapAccount({ STATUS: 'X' }), 'STATUS is unknown'],
    ['no status', () => mapAccount({ STATUS: '' }), 'STATUS is unknown'],
    ['an unknown product', () => mapAccount({ PROD_CD: 'X' }), 'PROD_CD is unknown'],
    [
      'an account without holders',
      () => mapAccount({ ACCT_NO: '7' }),
      'the holder of ACCT_NO is unknown',
    ],
    [
      'a balance without a side',
      () => mapAccount({ LEDGER_BAL: '3,396.63' }),
      'CR or DR of LEDGER_BAL is unknown',
    ],
    [
      'a balance of an unknown side',
      () => mapAccount({ AVAIL_BAL: '3,396.63 OD' }),
      'CR or DR of AVAIL_BAL is unknown',
    ],
    ['an unknown transaction type', () => mapTransaction({ TRAN_CD: 'X' }), 'TRAN_CD is unknown'],
    ['an unknown pending flag', () => mapTransaction({ PENDING: 'X' }), 'PENDING is unknown'],
    [
      'a transaction with both amounts',
      () => mapTransaction({ CREDIT: '1.00' }),
      'DEBIT and CREDIT are both present',
    ],
    [
      'a time in the gap',
      () => mapCustomer({ LAST_CHANGED: '04/10/2026 02:30:00' }),
      `LAST_CHANGED ${skipped}`,
    ],
    [
      'a posting time in the gap',
      () => mapTransaction({ POST_DT: '04/10/2026', POST_TM: '023000' }),
      `POST_DT with POST_TM ${skipped}`,
    ],
    ['an invalid date', () => mapAccount({ OPEN_DT: '31/02/2015' }), 'OPEN_DT is not a valid time'],
    [
      'a time with an offset',
      () => mapCustomer({ LAST_CHANGED: '01/01/2025 08:30:00+01:00' }),
      'LAST_CHANGED is not a valid time',
    ],
  ] as const) {
    it(`rejects ${name} with the message "${message}"`, async () => {
      await assert.rejects(reject, { message })
    })
  }

  it('loads a customer without an e-mail address', async (t) => {
    const bank = await openBank(t)
    bank.write('customers.csv', toCsv({ ...customer, EMAIL: '' }))

    const { status, stderr } = await bank.loadFiles(['customers.csv'], '--map', mapFile)

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  })

  it('leads to errors that name the field, and contain no value', async (t) => {
    const bank = await openBank(t)
    bank.write('customers.csv', toCsv(customer))
    bank.write('accounts.csv', toCsv({ ...account, STATUS: 'X' }))
    bank.write('transactions.csv', toCsv({ ...transaction, DEBIT: '3396,63' }))
    const files = ['customers.csv', 'accounts.csv', 'transactions.csv']

    const { status, stderr } = await bank.loadFiles(files, '--map', mapFile)
    const shown = await bank.loadFiles(files, '--map', mapFile, '--show-values')

    assert.equal(status, 1)
    assert.match(splitLines(stderr)[0] ?? '', /map\.ts:\d+:\d+ \(at accounts\.csv:2\)$/)
    assert.match(stderr, /^1 × amount: must be a decimal string \(at transactions\.csv:2\)$/m)
    assert.match(shown.stderr, /\(at accounts\.csv:2: STATUS is unknown\)$/m)
  })
})
