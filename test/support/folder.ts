import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scope } from './engines.ts'

/** A folder that is deleted with the scope. */
export async function temporaryFolder(scope: Scope): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'))
  scope.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
