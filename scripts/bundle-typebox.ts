import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { bundleOptions } from './program.ts'

/**
 * The compiler of TypeBox consists of 230 files, which most test files load. Bundles it into a folder and returns the
 * module to pass to `--import`, which resolves the compiler to the bundle.
 */
export async function bundleTypebox(folder: string): Promise<string> {
  const specifier = 'typebox/schema'
  await build({ ...bundleOptions, entryPoints: { compiler: specifier }, outdir: folder })
  const url = JSON.stringify(pathToFileURL(join(folder, 'compiler.js')).href)
  const hook = join(folder, 'resolve-typebox.mjs')
  writeFileSync(
    hook,
    `import { registerHooks } from 'node:module'
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== '${specifier}') return next(specifier, context)
    return { url: ${url}, shortCircuit: true }
  },
})
`,
  )
  return hook
}
