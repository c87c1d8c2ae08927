import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { BundledFile } from './bundle-console.ts'

/** Beside the program of a package; in a clone, the sources. */
const folder = new URL('../console/', import.meta.url)

/** The files of the console: those of the package, or in a clone what its sources are now. */
export async function readConsoleFiles(): Promise<readonly BundledFile[]> {
  if (existsSync(new URL('main.tsx', folder))) {
    const { bundleConsole } = await import('./bundle-console.ts')
    return bundleConsole()
  }
  return readdirSync(folder).map((name) => ({
    name,
    content: readFileSync(new URL(encodeURIComponent(name), folder)),
  }))
}
