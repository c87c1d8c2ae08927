import { escapeInvisible } from '../../../contract/characters.ts'
import { formatProblem, type Problem } from '../../../contract/index.ts'
import { problemsMax } from '../../../contract/limits.ts'
import { type LineCounts, totalCounts } from '../../../load/line-counts.ts'
import { CommandError, type Terminal } from '../../../server/terminal.ts'
import { formatQuantity } from '../../load/format-quantity.ts'
import { toJsonLine } from '../list.ts'

/** Prints what could not be imported as it is found, and at the end what was. */
export function openImportReport(isJson: boolean, terminal: Terminal) {
  const counts = { created: 0, changed: 0, unchanged: 0, kept: 0, not_imported: 0 }
  let lostTotal = 0

  const print = (
    id: string,
    outcome: 'left_out' | 'not_imported',
    problems: readonly Problem[],
  ) => {
    const rest = problems.length - problemsMax
    const more = { path: '', reason: `has ${rest} more such problems` }
    for (const problem of [...problems.slice(0, problemsMax), ...(rest > 0 ? [more] : [])]) {
      terminal.out(formatLine(id, outcome, problem, isJson))
    }
  }

  return {
    count: () => Object.values(counts).reduce((sum, count) => sum + count, 0),
    add(outcome: 'unchanged' | 'kept'): undefined {
      counts[outcome] += 1
    },
    addCounts(lines: LineCounts): void {
      const { created, changed, unchanged } = totalCounts(lines)
      counts.created += created
      counts.changed += changed
      counts.unchanged += unchanged
    },
    /** Of a product that is imported without some of its values. */
    leaveOut(id: string, lost: readonly Problem[]): void {
      lostTotal += lost.length
      print(id, 'left_out', lost)
    },
    reject(id: string, problems: readonly Problem[]): undefined {
      counts.not_imported += 1
      print(id, 'not_imported', problems)
    },
    finish(): void {
      if (isJson) {
        terminal.out(toJsonLine({ outcome: 'summary', ...counts, left_out: lostTotal }))
        return
      }
      const parts = [
        `${counts.created} created`,
        `${counts.changed} changed`,
        `${counts.unchanged} unchanged`,
        ...(counts.kept > 0 ? [`${counts.kept} kept with a later change of the catalogue`] : []),
        `${counts.not_imported} not imported`,
      ]
      const lost = lostTotal > 0 ? `; ${formatQuantity(lostTotal, 'value')} left out` : ''
      terminal.out(`${formatQuantity(this.count(), 'product')}: ${parts.join(', ')}${lost}\n`)
    },
    requireComplete(): void {
      const missing = counts.not_imported
      if (missing === 0) return
      throw new CommandError(1, `${formatQuantity(missing, 'product')} could not be imported`)
    },
  }
}

function formatLine(
  id: string,
  outcome: 'left_out' | 'not_imported',
  problem: Problem,
  isJson: boolean,
): string {
  const { path, reason } = problem
  if (isJson) return toJsonLine({ id, outcome, field: path, reason })
  const sentence = path === '' ? reason : formatProblem(problem)
  return `${escapeInvisible(`${id}  ${outcome === 'left_out' ? '' : 'not imported: '}${sentence}`)}\n`
}
