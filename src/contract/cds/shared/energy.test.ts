import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertValid, write } from '../../../../test/support/cds-records.ts'
import { energyAccount, energyAccountDetail } from './energy-account.ts'
import { energyBilling } from './energy-billing.ts'

describe('an energy account', () => {
  const account = { accountId: 'a', openStatus: 'OPEN', creationDate: '2020-02-29T23:00:00+10:00' }

  it('that is open without a date is left out', () => {
    const { creationDate: _, ...undated } = account

    assert.equal(write(energyAccount, undated).written, undefined)
    assert.ok(write(energyAccount, { ...undated, openStatus: 'CLOSED' }).written)
    assert.equal(write(energyAccount, account).written?.['creationDate'], '2020-02-29')
  })

  it('does not contain the identifiers of its service points', () => {
    const plans = [{ servicePointIds: ['41000000001', 41000000002] }, {}]

    assert.deepEqual(write(energyAccount, { ...account, plans }).written?.['plans'], [
      { servicePointIds: ['servicePoint-1', 'servicePoint-1'] },
      { servicePointIds: [] },
    ])
  })
})

describe('a tariff period', () => {
  it('without an end ends the day before the next one starts', () => {
    const rates = [{ unitPrice: '0.3' }]
    const makePeriod = (startDate: string) => ({
      displayName: startDate,
      startDate,
      rateBlockUType: 'singleRate',
      singleRate: { displayName: 'Usage', rates },
    })
    const readEnds = (...starts: readonly string[]) => {
      const electricityContract = {
        pricingModel: 'SINGLE_RATE',
        isFixed: true,
        paymentOption: [],
        tariffPeriod: starts.map(makePeriod),
      }
      const planDetail = { fuelType: 'ELECTRICITY', electricityContract }
      const plans = [{ servicePointIds: [], planDetail }]
      const { written } = write(energyAccountDetail, {
        accountId: 'a',
        openStatus: 'CLOSED',
        plans,
      })
      assertValid('EnergyAccountDetailV4', written)
      return [...JSON.stringify(written).matchAll(/"endDate":"([^"]+)"/g)].map(([, end]) => end)
    }

    assert.deepEqual(readEnds('07-01', '2024-07-01'), ['06-30', '06-30'])
    assert.deepEqual(readEnds('10-01', '01-01', '03-01'), ['12-31', '02-28', '09-30'])
  })
})

describe('a billing transaction', () => {
  it('has times with the offset of the time zone, and whole days as its period', () => {
    const { written } = write(energyBilling, {
      accountId: 'a',
      transactionUType: 'usage',
      executionDateTime: '2026-01-15T09:30:00',
      usage: {
        amount: '12',
        usage: 4,
        timeOfUseType: 'PEAK',
        startDate: '2026-06-01',
        endDate: '2026-06-30',
      },
    })

    assert.equal(written?.['executionDateTime'], '2026-01-15T09:30:00+11:00')
    assert.deepEqual(written?.['usage'], {
      startDate: '2026-06-01T00:00:00+10:00',
      endDate: '2026-06-30T23:59:59+10:00',
      amount: '12.00',
      timeOfUseType: 'PEAK',
      usage: 4,
    })
  })
})
