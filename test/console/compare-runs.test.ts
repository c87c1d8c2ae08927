import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compareRuns, findPrevious } from '../../src/console/pages/checks/compare-runs.ts'
import { checkReport, listedCheck } from '../../src/contract/examples/checks.ts'
import type { CheckReport, ListedCheck } from '../../src/contract/index.ts'

/** A report with a result for each word, such as `a:fail`, or `a:fail:reason`. */
function makeReport(...words: readonly string[]): CheckReport {
  const [result = assert.fail()] = checkReport.results
  return {
    ...checkReport,
    results: words.map((word) => {
      const [id = '', judgement, reason = ''] = word.split(':')
      return { ...result, id, judgement: judgement as 'pass' | 'fail' | 'skip', reason }
    }),
  }
}

describe('comparing two runs', () => {
  it('finds what fails newly, what is fixed, and other changes', () => {
    const before = makeReport(
      'a:pass',
      'b:fail',
      'c:fail:x',
      'd:skip',
      'e:fail',
      'f:pass',
      'h:skip',
    )
    const after = makeReport('a:fail', 'b:pass', 'c:fail:y', 'd:pass', 'e:skip', 'g:fail', 'h:skip')

    const { newlyFailing, fixed, others, sameCount } = compareRuns(before, after)

    assert.deepEqual(
      [newlyFailing, fixed, others].map((changes) => changes.map(({ id }) => id)),
      [['a', 'g'], ['b'], ['c', 'd', 'e', 'f']],
    )
    assert.equal(sameCount, 1)
  })

  it('prefers the previous run with the same checks', () => {
    const make = (checkId: string, changes: Partial<ListedCheck>): ListedCheck => {
      const { groups: _, ...rest } = listedCheck
      return { ...rest, checkId, ...changes }
    }
    const runs = [
      make('5', { profile: 'smoke' }),
      make('4', { profile: 'smoke', state: 'interrupted' }),
      make('3', { profile: 'full' }),
      make('2', { profile: 'smoke', groups: ['paging'] }),
      make('1', { profile: 'smoke' }),
    ]

    const previous = runs.map((run) => findPrevious(run, runs)?.checkId)

    assert.deepEqual(previous, ['1', undefined, '2', '1', undefined])
  })
})
