import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Makes `holdfast/client` resolve to the source from a folder, as an installed package does. */
export function installClient(folder: string): void {
  const installed = join(folder, 'node_modules', 'holdfast')
  mkdirSync(installed, { recursive: true })
  const exports = { './client': './client/index.ts' }
  writeFileSync(join(installed, 'package.json'), JSON.stringify({ name: 'holdfast', exports }))
  symlinkSync(
    fileURLToPath(new URL('../../src/client', import.meta.url)),
    join(installed, 'client'),
  )
}
