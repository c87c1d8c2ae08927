import { createWriteStream, type WriteStream } from 'node:fs'
import { escapeInvisible } from '../../contract/characters.ts'
import type { ReportedError } from '../../intake/error-log.ts'
import { notUtf8Reason } from '../../intake/lines.ts'
import { mappingFailure } from '../../intake/mapped-rows.ts'
import type { LineSource } from '../../intake/source.ts'
import type { LineError, SourceLocation } from '../../intake/writer.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { systemReason } from '../../storage/system-reason.ts'
import { formatCount, formatQuantity } from '../common/format-count.ts'
import { openPrivateFile } from '../common/private-file.ts'
import { findValue } from './line-value.ts'

/** How many causes are printed; --errors writes every error to a file. */
const causesShownMax = 20

/** How many causes are counted separately: the names of unknown fields come from the input. */
const causesMax = 1000

/** How much of a value is printed. */
const valueLengthMax = 60

interface Cause {
  readonly text: string
  readonly first: SourceLocation
  /** The value of the first error. Undefined without --show-values. */
  readonly value: string | undefined
  count: number
}

/** Groups errors by field and reason, and writes every single one to the error file. */
export function openErrorReport(
  inputs: readonly Pick<LineSource, 'name'>[],
  errorFile: WriteStream | undefined,
  isShowingValues: boolean,
  terminal: Terminal,
) {
  const causes = new Map<string, Cause>()
  let count = 0
  let countOfOthers = 0
  let hasUnknownConsequences = false
  const consequences = openLineTally()
  const stored = openLineTally()
  const locate = ({ file, line }: SourceLocation) => `${inputs[file]?.name}:${line}`

  const reasons = { isMapping: false, isEncoding: false }
  const addCause = (error: LineError, text: string | undefined): void => {
    const key = describe({ ...error, path: error.path.replaceAll(/\[\d+\]/g, '[]') })
    const known = causes.get(key)
    if (known) known.count += 1
    else if (causes.size === causesMax) countOfOthers += 1
    else {
      const value = isShowingValues ? formatValue(error, text) : undefined
      const first = { file: error.file, line: error.line }
      causes.set(key, { text: key, first, value, count: 1 })
    }
  }
  const formatCause = ({ text, first, value, count }: Cause): string => {
    const place = `${count === 1 ? '' : 'first '}at ${locate(first)}`
    return `${formatCount(count)} × ${text} (${place}${value === undefined ? '' : `: ${value}`})`
  }

  return {
    count: () => count,
    /** `text` is the line, if it could be read. */
    add(error: ReportedError, text?: string): void {
      if (!error.isStored) count += 1
      errorFile?.write(`${escapeInvisible(`${locate(error)}: ${describe(error)}`)}\n`)
      if (error.isStored) {
        stored.add(error)
        return
      }
      if (error.mayBeConsequence) hasUnknownConsequences = true
      if (error.isConsequence) consequences.add(error)
      else addCause(error, text)
      if (error.reason.startsWith(mappingFailure)) reasons.isMapping = true
      if (error.reason === notUtf8Reason) reasons.isEncoding = true
    },
    /** Prints the causes, the most frequent one first, and completes the error file. */
    async finish(): Promise<void> {
      const sorted = [...causes.values()].sort(
        (a, b) => b.count - a.count || a.first.file - b.first.file || a.first.line - b.first.line,
      )
      const lines = sorted.slice(0, causesShownMax).map(formatCause)
      const others = sorted.slice(causesShownMax)
      if (others.length > 0) {
        const errors = others.reduce((sum, each) => sum + each.count, countOfOthers)
        const atLeast = countOfOthers > 0 ? 'at least ' : ''
        lines.push(
          `and ${atLeast}${formatQuantity(others.length, 'other cause')}, with ${formatQuantity(errors, 'error')}`,
        )
      }
      const formatTally = ({ lines, first }: LineTally, referents: string): string => {
        const subject = `${formatQuantity(lines, 'line')} ${lines === 1 ? 'refers' : 'refer'}`
        return `${subject} to ${referents} (first at ${locate(first)})`
      }
      if (reasons.isMapping && !isShowingValues) {
        lines.push(
          '--show-values prints the message of the mapping function, which may contain personal data',
        )
      }
      if (reasons.isEncoding) {
        lines.push(
          'if the file is Windows-1252, convert it: iconv --from-code WINDOWS-1252 --to-code UTF-8',
        )
      }
      const consequence = consequences.result()
      if (consequence) lines.push(formatTally(consequence, 'rejected accounts or customers'))
      if (hasUnknownConsequences) {
        lines.push(
          'some accounts and customers that are not found may be rejected ones: there are too many to remember',
        )
      }
      const unresolved = stored.result()
      if (unresolved) {
        const subject = formatTally(unresolved, 'accounts or customers that do not exist')
        lines.push(`${subject}: stored, and invisible until they exist`)
      }
      for (const line of lines) terminal.error(`${escapeInvisible(line)}\n`)
      if (errorFile) await endFile(errorFile)
    },
  }
}

interface LineTally {
  readonly lines: number
  readonly first: SourceLocation
}

/** Counts lines, each of which may have several errors in sequence. */
function openLineTally() {
  let lines = 0
  let first: SourceLocation | undefined
  let last: SourceLocation | undefined
  return {
    add({ file, line }: SourceLocation): void {
      if (last?.file === file && last.line === line) return
      lines += 1
      last = { file, line }
      first ??= last
    },
    result: (): LineTally | undefined => first && { lines, first },
  }
}

function describe({ path, reason, isUnknownField }: LineError): string {
  const hint = isUnknownField ? '; --unknown-fields drop leaves it out' : ''
  return `${path || 'line'}: ${reason}${hint}`
}

/** Undefined if there is no value, as of a field that is missing. */
function formatValue(
  { path, missing, detail }: LineError,
  text: string | undefined,
): string | undefined {
  const value = detail ?? (missing ? JSON.stringify(missing.id) : text && findValue(text, path))
  if (value === undefined) return undefined
  const characters = [...escapeInvisible(value)]
  return characters.length <= valueLengthMax
    ? characters.join('')
    : `${characters.slice(0, valueLengthMax).join('')}…`
}

/** A failure has been reported by then. */
function endFile(file: WriteStream): Promise<void> {
  return new Promise((resolve) => {
    file.end(() => resolve())
  })
}

/** Called before anything is loaded, so that a file that cannot be written does not waste a load. */
export function openErrorFile(name: string, terminal: Terminal): WriteStream {
  try {
    const stream = createWriteStream(name, { fd: openPrivateFile(name) })
    stream.once('error', (error: NodeJS.ErrnoException) =>
      terminal.error(`${name} is incomplete: ${systemReason(error.code)}\n`),
    )
    return stream
  } catch {
    throw new CommandError(2, `${name} cannot be written`)
  }
}
