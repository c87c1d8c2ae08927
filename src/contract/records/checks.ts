import type { Static } from 'typebox'
import { described, record } from '../record.ts'
import { Count, Flag, Id, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'

/** The groups of checks, in the order in which they run first. */
export const checkGroups = [
  'tokens',
  'consent',
  'agreement',
  'paging',
  'order',
  'filters',
  'windows',
  'errors',
  'isolation',
  'refusals',
  'schemas',
  'wire',
] as const

export const checkProfiles = ['smoke', 'full'] as const

export const checkStates = ['running', 'completed', 'error', 'interrupted'] as const

export const checkJudgements = ['pass', 'fail', 'skip'] as const

const profile = described(
  Type.Enum([...checkProfiles]),
  'Which checks run: `smoke` is a selection of the most important ones, `full` is all of them.',
)
const groups = described(
  Type.Array(Type.Enum([...checkGroups]), { maxItems: checkGroups.length }),
  'Only the checks of these groups.',
)
const seconds = described(Type.Number({ minimum: 0 }), 'How long the checks took.')

export type CheckOptions = Static<typeof CheckOptions>
export const CheckOptions = record('CheckOptions', {
  description: 'Which checks to run. By default, all of them.',
  optional: { profile, groups },
})

export type CheckProgress = Static<typeof CheckProgress>
export const CheckProgress = record('CheckProgress', {
  description: 'How far a run is, and its results so far.',
  required: {
    done: described(Count, 'The number of checks that have a result.'),
    total: described(Count, 'The number of checks of the run. 0 until the run has begun.'),
    passed: described(Count, 'The number of checks that passed.'),
    failed: described(Count, 'The number of checks that failed.'),
    skipped: described(Count, 'The number of checks that could not be made.'),
  },
  optional: { current: described(Text, 'The title of the check that is being made.') },
})

const run = {
  checkId: described(Id, 'The id of the run.'),
  state: described(
    Type.Enum([...checkStates]),
    'A run that is `completed` has a report, also if checks failed. `error`: the checks could not be run. `interrupted`: the platform was stopped during the run.',
  ),
  profile,
  startedAt: described(Timestamp, 'When the run began.'),
  startedBy: described(Text, 'The name of the API client that started the run.'),
  seconds: described(Type.Number({ minimum: 0 }), 'How long the run has taken so far.'),
  progress: CheckProgress,
}
const optional = {
  groups,
  error: described(Text, 'Why the checks could not be run.'),
}

export type ListedCheck = Static<typeof ListedCheck>
export const ListedCheck = record('ListedCheck', {
  description: 'A run of checks, without its report.',
  required: run,
  optional,
})

export type CheckList = Static<typeof CheckList>
export const CheckList = record('CheckList', {
  description: 'The last runs of checks.',
  required: { data: described(Type.Array(ListedCheck), 'The runs, newest first.') },
})

export type CheckHeader = Static<typeof CheckHeader>
export const CheckHeader = record('CheckHeader', {
  description: 'A header of a request or a response.',
  required: { name: described(Text, 'In lower case.'), value: described(Text, 'Without tokens.') },
})

const headers = described(Type.Array(CheckHeader), 'The headers.')
const body = described(Text, 'Without tokens, and truncated if it is long.')

const CheckRequest = record('CheckRequest', {
  description: 'A request that a check sent.',
  required: {
    method: described(Text, 'The method.'),
    url: described(Text, 'The complete URL.'),
    headers,
  },
  optional: { body },
})

const CheckResponse = record('CheckResponse', {
  description: 'The response of the provider.',
  required: { status: described(Count, 'The HTTP status.'), headers, body },
})

export type CheckExchange = Static<typeof CheckExchange>
export const CheckExchange = record('CheckExchange', {
  description: 'A request of a check, and the response to it.',
  required: { request: CheckRequest },
  optional: {
    response: described(CheckResponse, 'Absent if there was none.'),
    error: described(Text, 'Why there was no response.'),
  },
})

const CheckClause = record('CheckClause', {
  description: 'The clause of the interface that a check is about.',
  required: {
    section: described(Text, 'The section of the interface.'),
    reference: described(Text, 'The reference of the endpoint, or the number of the rule.'),
    quote: described(Text, 'The text of the clause.'),
  },
})

export type CheckResult = Static<typeof CheckResult>
export const CheckResult = record('CheckResult', {
  description: 'The result of a check.',
  required: {
    id: described(Text, 'The id of the check.'),
    group: described(Text, 'The group of the check.'),
    title: described(Text, 'What the check requires.'),
    clause: CheckClause,
    judgement: described(
      Type.Enum([...checkJudgements]),
      'A skipped check could not be made: it is no pass.',
    ),
    evidence: described(Type.Array(CheckExchange), 'What a check that failed sent and received.'),
  },
  optional: {
    reason: described(Text, 'Why the check failed or was skipped.'),
    seen: described(Text, 'What was observed.'),
    remark: described(Text, 'What would be better, of a check that passed.'),
    expected: described(Text, 'What was expected instead.'),
    hint: described(Text, 'The most likely cause of the failure.'),
    isEvidenceOmitted: described(Flag, 'True if the report would be too large with the evidence.'),
  },
})

export type CheckReport = Static<typeof CheckReport>
export const CheckReport = record('CheckReport', {
  description: 'The report of a run, as `holdfast check` makes it.',
  required: {
    target: described(Text, 'The base URL of the provider.'),
    subdomain: described(Text, 'The `iss` and `sub` of the tokens.'),
    startedAt: described(Timestamp, 'When the first request was sent.'),
    seconds,
    profile,
    strict: described(
      Flag,
      'Whether the choices of Holdfast were required where the interface leaves a choice.',
    ),
    capabilities: described(Type.Array(Text), 'What the provider leaves out on purpose.'),
    requests: described(Count, 'The number of requests that were sent.'),
    results: described(Type.Array(CheckResult), 'The results, in the order of the checks.'),
  },
})

export type CheckRun = Static<typeof CheckRun>
export const CheckRun = record('CheckRun', {
  description: 'A run of checks.',
  required: run,
  optional: { ...optional, report: described(CheckReport, 'Present if the run is completed.') },
})

export const CheckRunningBody = record('CheckRunningBody', {
  description: 'The error of a run that cannot start while another one has not ended.',
  required: {
    error: described(Text, 'What is wrong, in one sentence or more.'),
    checkId: described(Id, 'The id of the run that has not ended.'),
  },
})
