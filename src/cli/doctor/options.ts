import type { Settings } from '../../server/settings/settings.ts'
import type { SettingFlags } from '../common/setting-flags.ts'

export const doctorRoles = ['provider', 'guard', 'platform', 'intake'] as const
export type DoctorRole = (typeof doctorRoles)[number]

export interface DoctorFlags extends SettingFlags {
  readonly json?: true
}

/** Those that are missing or invalid are undefined: what does not need them is still examined. */
export type DoctorSettings = Partial<Settings>
