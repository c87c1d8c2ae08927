import { describePath, toLabel } from '../contract/labels.ts'
import type { Problem } from '../contract/rules.ts'
import { type ScalarName, scalars } from '../contract/scalars.ts'
import { humanize } from './labels.ts'

/** The labels of parameters and of fields whose names are not what a form calls them. */
const labels: ReadonlyMap<string, string> = new Map([
  ['oldest-time', 'From'],
  ['newest-time', 'Until'],
  ['oldest-date', 'Issued from'],
  ['newest-date', 'Issued until'],
  ['min-amount', 'Lowest amount'],
  ['max-amount', 'Highest amount'],
  ['since', 'Corrected since'],
  ['until', 'Before'],
  ['email', 'E-mail address'],
  ['accountId', 'Account ID'],
  ['customerId', 'Customer ID'],
  ['interactionId', 'Interaction ID'],
  ['productID', 'Product ID'],
  ['product_id', 'Product ID'],
  ['third-party', 'Third party'],
  ['client_id', 'Client ID'],
  ['client_secret', 'Secret'],
])

/** What a form calls a parameter, or a field by its path. */
export function labelPath(path: string): string {
  return labels.get(path) ?? describePath(path)
}

/** What to do, for each format of a text. */
export const instructions: Readonly<Record<ScalarName, string>> = {
  id: 'Enter 1 to 256 characters, without line breaks.',
  feedName: 'Enter up to 64 letters, digits, dots, hyphens and underscores.',
  uuid: 'Enter the whole ID, such as 0f8fad5b-d9cb-469f-a165-70867728950e.',
  decimal: 'Enter a number, such as 12.50.',
  wholeNumber: 'Enter a whole number, such as 18.',
  dateTime: 'Enter a day and a time.',
  localDateTime: 'Enter a day and a time.',
  date: 'Enter a day, such as 2026-11-30.',
  dateOrDateTime: 'Enter a day, such as 2026-11-30, or a day and a time.',
  seasonStart: 'Enter a day of the year, such as 11-30, or a day.',
  duration: 'Enter a duration, such as 1 month: a whole number and its unit.',
  email: 'Enter the whole e-mail address, such as ana@example.com.',
  webUri: 'Enter a link that starts with https:// or http://.',
}

const byReason: ReadonlyMap<string, string> = new Map([
  ...Object.entries(scalars).map(
    ([name, { mustBe }]) => [`must be ${mustBe}`, instructions[name as ScalarName]] as const,
  ),
  ['is required', 'Enter a value.'],
  ['must be true or false', 'Choose yes or no.'],
  ['must be a string', 'Enter a text.'],
])

/** What to do about a problem, without the name of its field. */
export function instruct(reason: string): string {
  const [, range] = /^must be (a (?:whole )?number(?: from .+)?)$/.exec(reason) ?? []
  const [, length] = /^must be a string of (.+)$/.exec(reason) ?? []
  const [, values] = /^must be one of (.+)$/.exec(reason) ?? []
  if (range !== undefined || length !== undefined) return `Enter ${range ?? length}.`
  if (values !== undefined) return `Choose one of: ${values.split(', ').map(toLabel).join(', ')}.`
  return byReason.get(reason) ?? `It ${humanize(reason)}.`
}

/** The problems in the text of a 400: `brand is required; fees[0].rate must be a decimal string`. */
export function parseProblems(sentences: string): Problem[] {
  return sentences.split('; ').map((sentence) => {
    const [, path, reason] = /^([a-z_][\w.[\]-]*) ((?:is|must) .+)$/s.exec(sentence) ?? []
    return path === undefined || reason === undefined
      ? { path: '', reason: sentence }
      : { path, reason }
  })
}

/**
 * A sentence of the server about parts of a request, with the labels of the fields and what to do. Undefined if it is not
 * about fields.
 */
export function explainSentence(sentence: string): readonly string[] | undefined {
  const problems = parseProblems(sentence.replace(/^The provider responded with \d+: /, ''))
  if (problems.some(({ path }) => path === '')) return undefined
  return problems.map(({ path, reason }) => {
    const field = path.replace(/^(?:body|query|params|headers)\.(?=.)/, '')
    return `${labelPath(field)}: ${instruct(reason)}`
  })
}
