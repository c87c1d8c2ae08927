import { checkRunsMax } from '../limits.ts'
import type { Operation } from '../operation.ts'
import { described } from '../record.ts'
import { CheckList, CheckOptions, CheckRun, ListedCheck } from '../records/checks.ts'
import { Id } from '../scalars.ts'
import { Type } from '../type.ts'
import { plain } from './shared-parameters.ts'

const common = { ...plain, base: 'platform', tag: 'monitoring', protection: 'clientToken' } as const

const checks = '/v1/checks'

export const createCheck = {
  ...common,
  scope: 'operations.write',
  ref: 'O5',
  method: 'POST',
  path: checks,
  summary: 'Check the provider',
  description:
    'Starts the checks of `holdfast check` against the provider of the platform, with the customers of `HOLDFAST_CHECK_CUSTOMERS`, and does not wait for their end: `getCheck` returns the progress and the report. The checks only read data. One run at a time is possible.',
  body: CheckOptions,
  status: 201,
  response: ListedCheck,
  headers: ['Location'],
  errors: ['check_running', 'not_configured'],
} as const satisfies Operation

export const listChecks = {
  ...common,
  scope: 'operations.read',
  ref: 'O6',
  method: 'GET',
  path: checks,
  summary: 'List the checks of the provider',
  description: `Returns the last ${checkRunsMax} runs. Earlier runs and their reports are deleted.`,
  response: CheckList,
} as const satisfies Operation

export const getCheck = {
  ...common,
  scope: 'operations.read',
  ref: 'O7',
  method: 'GET',
  path: `${checks}/{checkId}`,
  summary: 'Get a check of the provider',
  description:
    'Returns the progress of a run, and its report once it is completed. A report contains the requests and responses of checks that failed, without tokens: the responses may contain data of the customers that were used.',
  params: Type.Object({
    checkId: described(Id, 'The id of the run, as returned by `createCheck`.'),
  }),
  response: CheckRun,
  errors: ['invalid_request', 'check_not_found'],
} as const satisfies Operation
