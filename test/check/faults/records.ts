import { type Fault, onPages, onRecords, onSuccess } from './fault.ts'

export const recordFaults: readonly Fault[] = [
  {
    name: 'amounts are floats',
    seam: onRecords((record) => {
      record.amount = Number(record.amount)
    }, 'B3'),
    catches: ['wire.numbers'],
  },
  {
    name: 'balances are floats',
    seam: onRecords((record) => {
      record.currentBalance = Number(record.currentBalance)
    }, 'B2'),
    catches: ['wire.numbers'],
  },
  {
    name: 'a bsb is a text',
    seam: onRecords((record) => {
      record.bsb = String(record.bsb)
    }, 'B1'),
    catches: ['wire.numbers'],
  },
  {
    name: 'rates of accounts are texts',
    seam: onRecords((record) => {
      for (const rate of record.depositRates) rate.rate = String(rate.rate)
    }, 'B1'),
    catches: ['wire.numbers'],
  },
  {
    name: 'totals are texts',
    seam: onPages((page) => {
      page.meta.totalRecords = String(page.meta.totalRecords)
    }, 'E4'),
    catches: ['wire.numbers'],
  },
  {
    name: 'a time has no zone',
    seam: onRecords((record) => {
      record.creationDate = record.creationDate.replace(/(Z|[+-]\d\d:\d\d)$/, '')
    }, 'B1'),
    catches: ['wire.times'],
  },
  {
    name: 'a billing time has a zone',
    seam: onRecords((record) => {
      record.executionDateTime += 'Z'
    }, 'E5'),
    catches: ['wire.times'],
  },
  {
    name: 'a date is written the other way round',
    seam: onRecords((record) => {
      record.dueDate = record.dueDate?.split('-').reverse().join('/')
    }, 'E3'),
    catches: ['wire.times'],
  },
  {
    name: 'a frequency is a word',
    seam: onRecords((record) => {
      for (const rate of record.depositRates) rate.calculationFrequency = 'DAILY'
    }, 'B1'),
    catches: ['wire.times'],
  },
  {
    name: 'a union names a member that every JavaScript object inherits',
    seam: onRecords((record) => {
      for (const address of record.addresses) address.addressUType = 'constructor'
    }, 'B1'),
    catches: ['wire.unions'],
  },
  {
    name: 'a union names what is not there',
    seam: onRecords((record) => {
      delete record.recurrence.intervalSchedule
      record.recurrence.reccurenceUType = 'intervalSchedule'
    }, 'B4'),
    catches: ['wire.unions'],
  },
  {
    name: 'a feature is activated by a boolean',
    seam: onRecords((record) => {
      for (const feature of record.features) feature.isActivated = true
    }, 'B1'),
    catches: ['wire.enumerations'],
  },
  {
    name: 'openStatus has a value of its own',
    seam: onRecords((record) => {
      if (record.accountId === 'e-2') record.openStatus = 'DORMANT'
    }, 'E2'),
    catches: ['wire.enumerations'],
  },
  {
    name: 'recurrence is spelled right',
    seam: onRecords(
      (record) => {
        record.recurrence.recurrenceUType = record.recurrence.reccurenceUType
        delete record.recurrence.reccurenceUType
      },
      'B4',
      'B6',
    ),
    catches: ['wire.spelling'],
  },
  {
    name: 'payeeID is spelled payeeId',
    seam: onRecords((record) => {
      const { to } = record.paymentSet
      to.payeeId = to.payeeID ?? 'x'
      delete to.payeeID
    }, 'B6'),
    catches: ['wire.spelling'],
  },
  {
    name: 'fields are in snake_case',
    seam: onRecords((record) => {
      record.display_name = record.displayName
      delete record.displayName
    }, 'E1'),
    catches: ['wire.spelling'],
  },
  {
    name: 'a transaction has no id',
    seam: onRecords((record) => {
      delete record.transactionId
    }, 'B3'),
    catches: ['schemas.B3'],
  },
  {
    name: 'an account has no id',
    seam: onRecords((record) => {
      if (record.accountId === 'b-1') {
        record.id = record.accountId
        delete record.accountId
      }
    }, 'B1'),
    catches: ['schemas.B1'],
  },
  {
    name: 'a balance has no available part',
    seam: onRecords((record) => {
      delete record.availableBalance
    }, 'B2'),
    catches: ['schemas.B2'],
  },
  {
    name: 'a payment has no source',
    seam: onRecords((record) => {
      record.from = { ...record.from, accountId: null }
    }, 'B4'),
    catches: ['schemas.B4'],
  },
  {
    name: 'an authorised entity is a text',
    seam: onRecords((record) => {
      record.authorisedEntity = 'Gym'
    }, 'B5'),
    catches: ['schemas.B5'],
  },
  {
    name: 'a payment set has no target',
    seam: onRecords((record) => {
      delete record.paymentSet.to
    }, 'B6'),
    catches: ['schemas.B6'],
  },
  {
    name: 'plans are an object',
    seam: onRecords((record) => {
      record.plans = record.plans[0]
    }, 'E1'),
    catches: ['schemas.E1'],
  },
  {
    name: 'plans of E2 are an object',
    seam: onRecords((record) => {
      record.plans = record.plans[0]
    }, 'E2'),
    catches: ['schemas.E2'],
  },
  {
    name: 'an invoice has no date of issue',
    seam: onRecords((record) => {
      if (record.invoiceNumber === 'i-0') record.issueDate = null
    }, 'E3'),
    catches: ['schemas.E3'],
  },
  {
    name: 'a usage has no amount',
    seam: onRecords((record) => {
      delete record.usage?.amount
    }, 'E4'),
    catches: ['schemas.E4'],
  },
  {
    name: 'a usage of E5 has no amount',
    seam: onRecords((record) => {
      delete record.usage?.amount
    }, 'E5'),
    catches: ['schemas.E5'],
  },
  {
    name: 'an account has no contact address',
    seam: onSuccess((body) => ({ ...body, addresses: [] }), 'contact'),
    catches: ['schemas.contact'],
  },
  {
    name: 'C1 has no envelope',
    seam: onSuccess((body) => body.data, 'C1'),
    catches: ['schemas.C1'],
  },
  {
    name: 'C2 has another envelope',
    seam: onSuccess((body) => ({ data: body.accounts }), 'C2'),
    catches: ['schemas.C2'],
  },
  {
    name: 'C3 has no name',
    seam: onSuccess(({ name: _, ...body }) => body, 'C3'),
    catches: ['schemas.C3'],
  },
  {
    name: 'C4 has no currency',
    seam: onSuccess(({ currency: _, ...body }) => body, 'C4'),
    catches: ['schemas.C4'],
  },
  {
    name: 'a list has no meta',
    seam: onSuccess(({ meta: _, ...body }) => body, 'B5'),
    catches: ['schemas.B5'],
  },
  {
    name: 'E2 shows the users',
    seam: onRecords((record) => {
      record.users = []
    }, 'E2'),
    catches: ['wire.variants'],
  },
  {
    name: 'answers are called plain text',
    strict: true,
    seam: onSuccess((body, { reply }) => {
      reply.header('content-type', 'text/plain')
      return body
    }),
    catches: ['wire.content-type'],
  },
  {
    name: 'the interaction id is not echoed',
    strict: true,
    seam: onSuccess((body, { reply }) => {
      reply.header('x-fapi-interaction-id', crypto.randomUUID())
      return body
    }),
    catches: ['wire.interaction-id'],
  },
]
