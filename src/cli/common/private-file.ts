import { closeSync, fchmodSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'

const ownerOnly = 0o600

/**
 * Opens a file for writing that may contain personal data. A new file is accessible to its owner only, regardless of the umask;
 * an existing file or a device keeps its permissions.
 */
export function openPrivateFile(path: string): number {
  try {
    return createPrivateFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return openSync(path, 'w')
  }
}

export function writePrivateFile(path: string, text: string): void {
  writeAndClose(openPrivateFile(path), text)
}

/**
 * Writes a file that contains a secret. The file is always a new one that only its owner can access. An existing file is an
 * error (`EEXIST`), or with `isReplacing` it is replaced atomically.
 */
export function writeSecretFile(path: string, text: string, isReplacing: boolean): void {
  const target = isReplacing ? `${path}.${crypto.randomUUID()}.tmp` : path
  const file = createPrivateFile(target)
  try {
    writeAndClose(file, text)
    if (isReplacing) renameSync(target, path)
  } catch (error) {
    rmSync(target, { force: true })
    throw error
  }
}

function createPrivateFile(path: string): number {
  const file = openSync(path, 'wx', ownerOnly)
  fchmodSync(file, ownerOnly)
  return file
}

function writeAndClose(file: number, text: string): void {
  try {
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}
