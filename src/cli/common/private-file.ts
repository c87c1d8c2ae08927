import { closeSync, fchmodSync, openSync, writeFileSync } from 'node:fs'

const ownerOnly = 0o600

/**
 * Opens a file for writing that may contain personal data. A new file is accessible to its owner only, regardless of the umask;
 * an existing file or a device keeps its permissions.
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
