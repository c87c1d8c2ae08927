import type { Operation } from '../operation.ts'
import { PlatformStatus } from '../records/status.ts'
import { plain } from './shared-parameters.ts'

export const getStatus = {
  ...plain,
  base: 'platform',
  tag: 'monitoring',
  protection: 'clientToken',
  scope: 'operations.read',
  ref: 'O1',
  method: 'GET',
  path: '/v1/status',
  summary: 'Get the status',
  description:
    'Returns what runs, with versions and health, and how much the database of the platform contains.',
  response: PlatformStatus,
} as const satisfies Operation
