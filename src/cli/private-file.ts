import { closeSync, fchmodSync, openSync, writeFileSync } from 'node:fs'

const ownerOnly = 0o600

/**
 * Opens a file for writing that may hold personal data. A new one is for the owner alone, whatever the umask; one
 * that exists, or a device, keeps the rights that it has.
 */
export function openPrivateFile(path: string): number {
  try {
    const file = openSync(path, 'wx', ownerOnly)
    fchmodSync(file, ownerOnly)
    return file
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return openSync(path, 'w')
  }
}

export function writePrivateFile(path: string, text: string): void {
  const file = openPrivateFile(path)
  try {
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}
