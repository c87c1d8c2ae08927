import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { BundledFile } from './bundle-console.ts'

/** Beside the program of a package; in a clone, the sources. */
const folder = new URL('../console/', import.meta.url)

/** The font of the pages outside the console. Undefined in a clone without its development dependencies. */
export function readFont(): Buffer | undefined {
  const isClone = existsSync(new URL('main.tsx', folder))
  const file = isClone
    ? findSource()
    : readdirSync(folder).find((name) => /^inter-.*\.woff2$/.test(name))
  return file === undefined ? undefined : readFileSync(new URL(file, folder))
}

function findSource(): string | undefined {
  const url = new URL(
    '../../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
    import.meta.url,
  )
  return existsSync(url) ? url.href : undefined
}

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
