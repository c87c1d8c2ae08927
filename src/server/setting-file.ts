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
    const { code } = error as NodeJS.ErrnoException
    throw fileError(
      name,
      code === 'EISDIR' ? `${file} is a folder: name a file` : `cannot read ${file} (${code})`,
    )
  }
  if (content.length <= bytesMax) return content
  throw fileError(name, `${file} is larger than ${bytesMax} bytes`)
}
