import type { UnknownFields } from '../../intake/line.ts'
import type { SettingFlags } from '../common/setting-flags.ts'

export const inputFormats = ['ndjson', 'csv', 'tsv'] as const
export type InputFormat = (typeof inputFormats)[number]

export interface LoadFlags extends SettingFlags {
  readonly format?: InputFormat
  readonly delimiter?: string
  readonly type?: string
  readonly map?: string
  readonly from?: string
  readonly query?: readonly string[]
  readonly dryRun?: true
  readonly strict?: true
  readonly batch?: number
  readonly follow?: true
  readonly feed?: string
  readonly flushMs?: number
  readonly unknownFields: UnknownFields
  readonly errors?: string
  readonly showValues?: true
  readonly skipInvalid?: true
  readonly rejects?: string
  readonly metricsFile?: string
}
