import { CorrectionLine, formatProblem, problemsMax } from '../../contract/index.ts'
import { parseJson } from '../../contract/parse-json.ts'
import { validator } from '../../contract/validate.ts'
import type { Correction } from '../../disclosures/correction.ts'
import { createNdjsonSource } from '../../intake/lines.ts'
import type { TextLine } from '../../intake/source.ts'
import { CommandError } from '../../server/terminal.ts'
import { openBytes, toInputError } from '../load/inputs.ts'

const lineBytesMax = 16 * 1024

/**
 * The corrections in a file, some at a time. Reads it twice: nothing is returned of a file with an invalid line.
 */
export async function* readCorrections(name: string): AsyncGenerator<readonly Correction[]> {
  const bytes = openBytes(name)
  if (bytes.isRepeatable === false)
    throw new CommandError(2, `--corrections: ${name} is not a regular file`)
  const source = createNdjsonSource(bytes)
  const read = async function* () {
    try {
      for await (const { lines } of source.read({ bytesMax: lineBytesMax })) {
        yield lines.map(parseLine)
      }
    } catch (error) {
      throw toInputError(error)
    }
  }
  const errors: string[] = []
  for await (const lines of read()) {
    errors.push(...lines.filter((line) => typeof line === 'string'))
    if (errors.length >= problemsMax) break
  }
  if (errors.length > 0) {
    const listed = errors.slice(0, problemsMax).map((error) => `\n  ${name}:${error}`)
    throw new CommandError(1, `--corrections has invalid lines:${listed.join('')}`)
  }
  for await (const lines of read()) yield lines.filter((line) => typeof line !== 'string')
}

const { problems } = validator(CorrectionLine)

/** The correction, or why the line is none. */
function parseLine({ line, text, problems: unreadable }: TextLine): Correction | string {
  const value = parseJson(text)
  const [problem] =
    unreadable ??
    (value === undefined ? [{ path: '', reason: 'must be JSON' }] : problems(value, 1))
  if (problem) return `${line}: ${formatProblem(problem)}`
  const { time, timeBefore, timeAfter, ...rest } = value as CorrectionLine
  const parse = (given: string | undefined) =>
    given === undefined ? undefined : Temporal.Instant.from(given)
  return {
    ...rest,
    number: line,
    time: Temporal.Instant.from(time),
    timeBefore: parse(timeBefore),
    timeAfter: parse(timeAfter),
  }
}
