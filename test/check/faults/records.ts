import { type Fault, onPages, onRecords, onSuccess } from './fault.ts'

export const recordFaults: readonly Fault[] = [
  {
    name: 'amounts are floats',
    seam: onRecords((record) => {
      record.amount = Number(record.amount)
    }, 'B3'),
    detectedBy: ['wire.numbers'],
  },
  {
    name: 'balances are floats',
    seam: onRecords((record) => {
      record.currentBalance = Number(record.currentBalance)
    }, 'B2'),
    detectedBy: ['wire.numbers'],
  },
  {
    name: 'a bsb is a string',
    seam: onRecords((record) => {
      record.bsb = String(record.bsb)
    }, 'B1'),
    detectedBy: ['wire.numbers'],
  },
  {
    name: 'rates of accounts are strings',
    seam: onRecords((record) => {
      for (const rate of record.depositRates) rate.rate = String(rate.rate)
    }, 'B1'),
    detectedBy: ['wire.numbers'],
  },
  {
    name: 'totals are strings',
    seam: onPages((page) => {
      page.meta.totalRecords = String(page.meta.totalRecords)
    }, 'E4'),
    detectedBy: ['wire.numbers'],
  },
  {
    name: 'a time has no offset',
    seam: onRecords((record) => {
      record.creationDate = record.creationDate.replace(/(Z|[+-]\d\d:\d\d)$/, '')
    }, 'B1'),
    detectedBy: ['wire.times'],
  },
  {
    name: 'a billing time has an offset',
    seam: onRecords((record) => {
      record.executionDateTime += 'Z'
    }, 'E5'),
    detectedBy: ['wire.times'],
  },
  {
    name: 'a date is in day-first order',
    seam: onRecords((record) => {
      record.dueDate = record.dueDate?.split('-').reverse().join('/')
    }, 'E3'),
    detectedBy: ['wire.times'],
  },
  {
    name: 'a frequency is a word',
    seam: onRecords((record) => {
      for (const rate of record.depositRates) rate.calculationFrequency = 'DAILY'
    }, 'B1'),
    detectedBy: ['wire.times'],
  },
  {
    name: 'a union names a member that every JavaScript object inherits',
    seam: onRecords((record) => {
      for (const address of record.addresses) address.addressUType = 'constructor'
    }, 'B1'),
    detectedBy: ['wire.unions'],
  },
  {
    name: 'a union names a missing member',
    seam: onRecords((record) => {
      delete record.recurrence.intervalSchedule
      record.recurrence.reccurenceUType = 'intervalSchedule'
    }, 'B4'),
    detectedBy: ['wire.unions'],
  },
  {
    name: 'isActivated of a feature is a boolean',
    seam: onRecords((record) => {
      for (const feature of record.features) feature.isActivated = true
    }, 'B1'),
    detectedBy: ['wire.enumerations'],
  },
  {
    name: 'a fee of version 4 has the removed type VARIABLE',
    seam: onRecords((record) => {
      for (const fee of record.fees) fee.feeType = 'VARIABLE'
    }, 'B1'),
    detectedBy: ['wire.enumerations'],
  },
  {
    name: 'a fee of version 4 has an amount and no method',
    seam: onRecords((record) => {
      for (const fee of record.fees) {
        fee.amount = fee.fixedAmount.amount
        delete fee.feeMethodUType
        delete fee.fixedAmount
      }
    }, 'B1'),
    detectedBy: ['schemas.B1'],
  },
  {
    name: 'openStatus has an additional value',
    seam: onRecords((record) => {
      if (record.accountId === 'e-2') record.openStatus = 'DORMANT'
    }, 'E2'),
    detectedBy: ['wire.enumerations'],
  },
  {
    name: 'reccurenceUType is spelled recurrenceUType',
    seam: onRecords(
      (record) => {
        record.recurrence.recurrenceUType = record.recurrence.reccurenceUType
        delete record.recurrence.reccurenceUType
      },
      'B4',
      'B6',
    ),
    detectedBy: ['wire.spelling'],
  },
  {
    name: 'payeeID is spelled payeeId',
    seam: onRecords((record) => {
      const { to } = record.paymentSet
      to.payeeId = to.payeeID ?? 'x'
      delete to.payeeID
    }, 'B6'),
    detectedBy: ['wire.spelling'],
  },
  {
    name: 'fields are in snake_case',
    seam: onRecords((record) => {
      record.display_name = record.displayName
      delete record.displayName
    }, 'E1'),
    detectedBy: ['wire.spelling'],
  },
  {
    name: 'a transaction has no id',
    seam: onRecords((record) => {
      delete record.transactionId
    }, 'B3'),
    detectedBy: ['schemas.B3'],
  },
  {
    name: 'an account has no id',
    seam: onRecords((record) => {
      if (record.accountId === 'b-1') {
        record.id = record.accountId
        delete record.accountId
      }
    }, 'B1'),
    detectedBy: ['schemas.B1'],
  },
  {
    name: 'a balance has no availableBalance',
    seam: onRecords((record) => {
      delete record.availableBalance
    }, 'B2'),
    detectedBy: ['schemas.B2'],
  },
  {
    name: 'a payment has no source',
    seam: onRecords((record) => {
      record.from = { ...record.from, accountId: null }
    }, 'B4'),
    detectedBy: ['schemas.B4'],
  },
  {
    name: 'an authorised entity is a string',
    seam: onRecords((record) => {
      record.authorisedEntity = 'Gym'
    }, 'B5'),
    detectedBy: ['schemas.B5'],
  },
  {
    name: 'a payment set has no target',
    seam: onRecords((record) => {
      delete record.paymentSet.to
    }, 'B6'),
    detectedBy: ['schemas.B6'],
  },
  {
    name: 'the payee of a transfer has no payeeID',
    seam: onRecords((record) => {
      delete record.paymentSet.to.payeeID
    }, 'B6'),
    detectedBy: ['schemas.B6'],
  },
  {
    name: 'plans are an object',
    seam: onRecords((record) => {
      record.plans = record.plans[0]
    }, 'E1'),
    detectedBy: ['schemas.E1'],
  },
  {
    name: 'plans in E2 are an object',
    seam: onRecords((record) => {
      record.plans = record.plans[0]
    }, 'E2'),
    detectedBy: ['schemas.E2'],
  },
  {
    name: 'an invoice has no issueDate',
    seam: onRecords((record) => {
      if (record.invoiceNumber === 'i-0') record.issueDate = null
    }, 'E3'),
    detectedBy: ['schemas.E3'],
  },
  {
    name: 'a usage has no amount',
    seam: onRecords((record) => {
      delete record.usage?.amount
    }, 'E4'),
    detectedBy: ['schemas.E4'],
  },
  {
    name: 'a usage in E5 has no amount',
    seam: onRecords((record) => {
      delete record.usage?.amount
    }, 'E5'),
    detectedBy: ['schemas.E5'],
  },
  {
    name: 'a contact has no address',
    seam: onSuccess((body) => ({ ...body, addresses: [] }), 'contact'),
    detectedBy: ['schemas.contact'],
  },
  {
    name: 'C1 has no envelope',
    seam: onSuccess((body) => body.data, 'C1'),
    detectedBy: ['schemas.C1'],
  },
  {
    name: 'C2 has another envelope',
    seam: onSuccess((body) => ({ data: body.accounts }), 'C2'),
    detectedBy: ['schemas.C2'],
  },
  {
    name: 'C3 has no name',
    seam: onSuccess(({ name: _, ...body }) => body, 'C3'),
    detectedBy: ['schemas.C3'],
  },
  {
    name: 'C4 has no currency',
    seam: onSuccess(({ currency: _, ...body }) => body, 'C4'),
    detectedBy: ['schemas.C4'],
  },
  {
    name: 'a list has no meta',
    seam: onSuccess(({ meta: _, ...body }) => body, 'B5'),
    detectedBy: ['schemas.B5'],
  },
  {
    name: 'E2 returns users',
    seam: onRecords((record) => {
      record.users = []
    }, 'E2'),
    detectedBy: ['wire.variants'],
  },
  {
    name: 'the content type is text/plain',
    strict: true,
    seam: onSuccess((body, { reply }) => {
      reply.header('content-type', 'text/plain')
      return body
    }),
    detectedBy: ['wire.content-type'],
  },
  {
    name: 'the interaction id is not echoed',
    strict: true,
    seam: onSuccess((body, { reply }) => {
      reply.header('x-fapi-interaction-id', crypto.randomUUID())
      return body
    }),
    detectedBy: ['wire.interaction-id'],
  },
]
