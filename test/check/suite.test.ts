import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { toPagedList } from '../../src/check/paged-list.ts'
import { suite } from '../../src/check/suite.ts'
import { type Operation, providerOperations } from '../../src/contract/index.ts'
import { faults } from './faults/index.ts'

const operations = Object.values<Operation>(providerOperations)
const ids = suite.map(({ id }) => id)

describe('the checks', () => {
  it('have unique ids', () => {
    assert.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
    )
  })

  it('each detect at least one fault', () => {
    const detecting = new Set(faults.flatMap(({ detectedBy }) => detectedBy))

    assert.deepEqual(
      ids.filter((id) => !detecting.has(id)),
      [],
    )
  })

  it('quote the decisions as they are', () => {
    const folder = new URL('../../docs/decisions/', import.meta.url)
    const quoted = suite.filter(({ clause }) => clause.section.startsWith('Decision '))
    const wrong = quoted.filter(({ clause: { section, quote } }) => {
      const number = section.replace('Decision ', '').padStart(4, '0')
      const name = readdirSync(folder).find((file) => file.startsWith(number)) ?? ''
      const text = readFileSync(new URL(name, folder), 'utf8')
        .replaceAll('`', '')
        .replaceAll(/\s+/g, ' ')
      return quote.split(' … ').some((part) => !text.includes(part))
    })

    assert.ok(quoted.length > 10)
    assert.deepEqual(
      wrong.map(({ id }) => id),
      [],
    )
  })

  it('include the response schema of every operation', () => {
    assert.deepEqual(
      operations.map(({ ref }) => `schemas.${ref}`).filter((id) => !ids.includes(id)),
      [],
    )
  })

  it('include the time window of every list that has one', () => {
    const windowed = operations.filter((operation) => toPagedList(operation)?.bounds)

    assert.ok(windowed.length > 0)
    assert.deepEqual(
      windowed.map(({ ref }) => `windows.${ref}.oldest`).filter((id) => !ids.includes(id)),
      [],
    )
  })

  it('treat as paged lists the operations with a page in their response, and no others', () => {
    assert.deepEqual(
      operations.filter((operation) => toPagedList(operation)).map(({ ref }) => ref),
      operations.filter(({ query }) => 'page' in query.properties).map(({ ref }) => ref),
    )
  })

  it('require facts about the records of a new paged list', () => {
    const { listBankingBalances, listShareableAccounts } = providerOperations
    const { data, ...page } = listBankingBalances.response.properties
    const balances = { ...data.properties.balances, items: listShareableAccounts.response }
    const response = {
      ...listBankingBalances.response,
      properties: { ...page, data: { ...data, properties: { balances } } },
    }

    assert.throws(
      () => toPagedList({ ...listBankingBalances, response }),
      /B2: recordFacts .* no entry for ShareableAccounts/,
    )
  })
})
