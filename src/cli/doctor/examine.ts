import { escapeInvisible } from '../../contract/characters.ts'
import { readSettings, settingNames } from '../../server/settings/settings.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { formatQuantity } from '../common/format-count.ts'
import { formatTable } from '../common/format-table.ts'
import { examineCertificates } from './certificates.ts'
import { examineClock } from './clock.ts'
import { examineDatabase, examineDisk } from './database.ts'
import { examineFiles, rejectPipes } from './files.ts'
import { type Finding, ok, problem, type Subject, warning } from './finding.ts'
import { examineIdentityProvider } from './identity-provider.ts'
import { examineKeys } from './keys.ts'
import type { DoctorFlags, DoctorRole, DoctorSettings } from './options.ts'
import { examineLimits, examinePorts } from './ports.ts'
import { examineUpstream } from './upstream.ts'

/** Prints what it finds, and fails if something keeps the server from working. */
export async function examine(
  role: DoctorRole,
  flags: DoctorFlags,
  terminal: Terminal,
): Promise<void> {
  const { effective, ...result } = readSettings(role, terminal.environment, flags)
  const settings = Object.fromEntries(
    settingNames.map((name) => [name, effective[name].value]),
  ) as DoctorSettings
  rejectPipes(settings)
  const parts = await Promise.all([
    examineFiles(settings),
    examineDatabase(role, settings),
    examineDisk(settings),
    examineKeys(role, settings),
    examineClock(role, settings),
    examineCertificates(role, settings),
    examineUpstream(role, settings),
    ...(role === 'platform' ? [examineIdentityProvider(settings)] : []),
    examinePorts(settings),
    examineLimits(settings),
  ])
  const findings = [...describeSettings(role, result), ...parts.flat()]
  terminal.out(flags.json ? `${JSON.stringify({ role, findings }, null, 2)}\n` : format(findings))
  const problems = findings.filter(({ state }) => state === 'problem').length
  if (problems > 0) throw new CommandError(1, `${formatQuantity(problems, 'problem')} found`)
}

function describeSettings(
  role: DoctorRole,
  { invalid, missing, unknown }: Omit<ReturnType<typeof readSettings>, 'effective'>,
): readonly Finding[] {
  const subject: Subject = 'settings'
  const findings = [
    ...[...invalid, ...missing].map((text) => problem(subject, text)),
    ...unknown.map((name) =>
      warning(subject, `${name} is not a setting`, 'Correct or remove the variable.'),
    ),
  ]
  return findings.length > 0 ? findings : [ok(subject, `complete for the role ${role}`)]
}

/** A line for each finding, and one below it with what to do. */
function format(findings: readonly Finding[]): string {
  const rows = findings.flatMap(({ state, subject, text, advice }) => [
    [state, subject, escapeInvisible(text)],
    ...(advice === undefined ? [] : [['', '', escapeInvisible(advice)]]),
  ])
  return `${formatTable(rows).join('\n')}\n`
}
