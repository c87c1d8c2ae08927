import { readFileSync } from 'node:fs'
import { flagName, type SettingName } from './settings/settings.ts'
import { CommandError } from './terminal.ts'

/** The error of a file that a setting names. One line for each problem. */
export function fileError(name: SettingName, ...problems: readonly string[]): CommandError {
  return new CommandError(1, problems.map((problem) => `${flagName(name)}: ${problem}`).join('\n'))
}

/** Reads a file that a setting names. */
export function readSettingFile(name: SettingName, file: string, bytesMax = Infinity): Buffer {
  let content: Buffer
  try {
    content = readFileSync(file)
  } catch (error) {
    throw fileError(name, `cannot read ${file} (${(error as NodeJS.ErrnoException).code})`)
  }
  if (content.length <= bytesMax) return content
  throw fileError(name, `${file} is larger than ${bytesMax} bytes`)
}
