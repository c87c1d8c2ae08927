import { escapeInvisible } from '../../../contract/characters.ts'
import { formatProblem, type Problem } from '../../../contract/index.ts'
import { problemsMax } from '../../../contract/limits.ts'
import { formatProductWarning, type ProductWarning } from '../../../contract/product-warnings.ts'
import { CommandError, type Terminal } from '../../../server/terminal.ts'
import { quoteForShell } from '../../common/database.ts'
import { formatQuantity } from '../../common/format-count.ts'
import { toJsonLine } from '../list.ts'
import type { KeptProduct } from './holder-product.ts'

type Outcome = 'separated' | 'left_out' | 'not_imported'

/** Prints what could not be imported as it is found, and at the end what was. */
export function openImportReport(isJson: boolean, terminal: Terminal) {
  const counts = { created: 0, changed: 0, unchanged: 0, kept: 0, not_imported: 0 }
  const seen = new Set<string>()
  let lostTotal = 0
  let warningsTotal = 0

  const count = (id: string, outcome: keyof typeof counts): void => {
    counts[outcome] += 1
    seen.add(id)
  }
  const print = (id: string, outcome: Outcome, problems: readonly Problem[]) => {
    const rest = problems.length - problemsMax
    const more = { path: '', reason: `has ${rest} more such problems` }
    for (const problem of [...problems.slice(0, problemsMax), ...(rest > 0 ? [more] : [])]) {
      terminal.out(formatLine(id, outcome, problem, isJson))
    }
  }

  return {
    count: () => Object.values(counts).reduce((sum, each) => sum + each, 0),
    add: (id: string, outcome: 'created' | 'changed' | 'unchanged') => count(id, outcome),
    keep(id: string, kept: KeptProduct): void {
      count(id, 'kept')
      terminal.out(isJson ? toJsonLine({ id, outcome: 'kept', ...kept }) : formatKept(id, kept))
    },
    /** Of a product that is imported with some of its values separated or left out. */
    note(id: string, outcome: 'separated' | 'left_out', problems: readonly Problem[]): void {
      if (outcome === 'left_out') lostTotal += problems.length
      print(id, outcome, problems)
    },
    /** Of a product that was written: values that are seldom meant, in the words of the console. */
    warn(id: string, warnings: readonly ProductWarning[]): void {
      warningsTotal += warnings.length
      for (const warning of warnings) {
        const text = formatProductWarning(warning)
        const row = { id, outcome: 'warning', field: warning.path, reason: text }
        terminal.out(isJson ? toJsonLine(row) : `${escapeInvisible(`${id}  warning: ${text}`)}\n`)
      }
    },
    reject(id: string, problems: readonly Problem[]): void {
      count(id, 'not_imported')
      print(id, 'not_imported', problems)
    },
    /** After the last product. */
    rejectMissing(ids: Iterable<string>): void {
      for (const id of ids) {
        if (!seen.has(id)) this.reject(id, [{ path: '', reason: 'the source has no such product' }])
      }
    },
    finish(): void {
      if (isJson) {
        const summary = { outcome: 'summary', ...counts }
        terminal.out(toJsonLine({ ...summary, left_out: lostTotal, warnings: warningsTotal }))
        return
      }
      const parts = [
        `${counts.created} created`,
        `${counts.changed} changed`,
        `${counts.unchanged} unchanged`,
        ...(counts.kept > 0 ? [`${counts.kept} kept`] : []),
        `${counts.not_imported} not imported`,
      ]
      const lost = lostTotal > 0 ? `; ${formatQuantity(lostTotal, 'value')} left out` : ''
      const warned = warningsTotal > 0 ? `; ${formatQuantity(warningsTotal, 'warning')}` : ''
      const total = formatQuantity(this.count(), 'product')
      terminal.out(`${total}: ${parts.join(', ')}${lost}${warned}\n`)
    },
    requireComplete(): void {
      const missing = counts.not_imported
      if (missing === 0) return
      throw new CommandError(1, `${formatQuantity(missing, 'product')} could not be imported`)
    },
  }
}

function formatLine(id: string, outcome: Outcome, problem: Problem, isJson: boolean): string {
  const { path, reason } = problem
  if (isJson) return toJsonLine({ id, outcome, field: path, reason })
  const sentence = path === '' ? reason : formatProblem(problem)
  const start = outcome === 'not_imported' ? 'not imported: ' : ''
  return `${escapeInvisible(`${id}  ${start}${sentence}`)}\n`
}

function formatKept(id: string, { name, reason }: KeptProduct): string {
  const argument = /^[\w.:][\w.:-]*$/.test(id) ? id : quoteForShell(id)
  const line = `${id}  kept: ${JSON.stringify(name)} ${reason}. To replace it: --replace ${argument}`
  return `${escapeInvisible(line)}\n`
}
