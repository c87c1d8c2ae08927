import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { openOutages } from '../../server/outages.ts'
import { readSettingFile } from '../../server/setting-file.ts'
import { flagName, type SettingName } from '../../server/settings/settings.ts'
import { CommandError } from '../../server/terminal.ts'
import { readUpstreamHeader } from '../../server/upstream-header.ts'
import { findLooseFiles, isPostgres, sqlitePath } from '../../storage/open.ts'
import { systemReason } from '../../storage/system-reason.ts'
import { quoteForShell } from '../common/database.ts'
import { examinePart, type Finding, ok, problem, warning } from './finding.ts'
import type { DoctorSettings } from './options.ts'

/** Files that contain a secret. */
const secretFiles = [
  'databasePasswordFile',
  'consoleClientSecretFile',
  'tlsKey',
  'upstreamHeaderFile',
  'upstreamKey',
] as const satisfies readonly SettingName[]

const files = [
  ...secretFiles,
  'tlsCert',
  'tlsClientCa',
  'upstreamCa',
  'upstreamCert',
  'outagesFile',
  'brandLogo',
] as const satisfies readonly SettingName[]

const othersMask = 0o077

/** Several parts read these files, and a pipe can be read only once. */
export function rejectPipes(settings: DoctorSettings): void {
  for (const name of files) {
    const file = settings[name]
    if (file === undefined || !isPipe(file)) continue
    throw new CommandError(1, `${flagName(name)}: ${file} is a pipe: name a file to examine`)
  }
}

function isPipe(path: string): boolean {
  try {
    return statSync(path).isFIFO()
  } catch {
    return false
  }
}

/** The files that the settings name, and who can access those of the database. */
export async function examineFiles(settings: DoctorSettings): Promise<readonly Finding[]> {
  const parts = [
    () => examineSecrets(settings),
    () => examineContents(settings),
    () => examineDatabaseFiles(settings),
  ]
  const findings = (await Promise.all(parts.map((part) => examinePart('files', part)))).flat()
  if (findings.length > 0) return findings
  const text = hasFiles(settings) ? 'readable, and for their owner alone' : 'none to examine'
  return [ok('files', text)]
}

function hasFiles(settings: DoctorSettings): boolean {
  const { database } = settings
  return (
    files.some((name) => settings[name] !== undefined) ||
    (database !== undefined && !isPostgres(database) && existsSync(sqlitePath(database)))
  )
}

async function examineSecrets(settings: DoctorSettings): Promise<readonly Finding[]> {
  const secrets = secretFiles.flatMap((name) => {
    const file = settings[name]
    return file === undefined ? [] : [{ name, file }]
  })
  for (const { name, file } of secrets) readSettingFile(name, file)
  return secrets
    .filter(({ file }) => (statSync(file).mode & othersMask) !== 0)
    .map(({ name, file }) => describeLoose(`${flagName(name)}: ${file}`, [file]))
}

/** Throws if one of the files is invalid. */
async function examineContents({
  upstreamHeaderFile,
  outagesFile,
  brandLogo,
}: DoctorSettings): Promise<readonly Finding[]> {
  if (upstreamHeaderFile !== undefined) readUpstreamHeader(upstreamHeaderFile)
  if (brandLogo !== undefined) readSettingFile('brandLogo', brandLogo)
  openOutages(outagesFile)
  return []
}

async function examineDatabaseFiles({ database }: DoctorSettings): Promise<readonly Finding[]> {
  if (database === undefined || isPostgres(database)) return []
  const loose = await findLooseFiles(database)
  const path = sqlitePath(database)
  const folder = dirname(path)
  return [
    ...(loose.length > 0 ? [describeLoose('the database', loose)] : []),
    ...findDenied(folder, 'SQLite creates files beside the database'),
    ...findDenied(path, 'every server writes to it'),
  ]
}

/** What does not exist is reported with the database. */
function findDenied(path: string, reason: string): readonly Finding[] {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return []
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    const advice = `Run the command as the user of the server, who must be able to write to it: ${reason}.`
    return [problem('files', `${path} cannot be written: ${systemReason(code)}`, advice)]
  }
}

function describeLoose(subject: string, files: readonly string[]): Finding {
  const names = files.map(quoteForShell).join(' ')
  return warning('files', `other users can access ${subject}`, `chmod 600 ${names}`)
}
