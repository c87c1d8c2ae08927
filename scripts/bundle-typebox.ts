import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { bundleOptions } from './program.ts'

const entryPoints = { typebox: 'typebox', 'typebox-schema': 'typebox/schema' }

/**
 * TypeBox consists of 700 files, and every test file spends a third of a second on loading them. Bundles it into a
 * folder and returns the module to pass to `--import`, which resolves TypeBox to the bundle.
 */
export async function bundleTypebox(folder: string): Promise<string> {
  await build({ ...bundleOptions, entryPoints, outdir: folder })
  const bundles = Object.entries(entryPoints).map(([name, specifier]) => [
    specifier,
    pathToFileURL(join(folder, `${name}.js`)).href,
  ])
  const hook = join(folder, 'resolve-typebox.mjs')
  writeFileSync(
    hook,
    `import { registerHooks } from 'node:module'
const bundles = new Map(${JSON.stringify(bundles)})
registerHooks({
  resolve(specifier, context, next) {
    const url = bundles.get(specifier)
    return url ? { url, shortCircuit: true } : next(specifier, context)
  },
})
`,
  )
  return hook
}
