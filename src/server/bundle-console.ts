import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A file of the console, by its name in the folder of the build. */
export interface BundledFile {
  readonly name: string
  readonly content: Uint8Array
}

const source = fileURLToPath(new URL('../console', import.meta.url))

/**
 * Bundles the console for browsers. The name of a file contains a digest of its content, so that browsers may keep it.
 * A published package contains the result; in a clone, the platform calls this for the first page.
 */
export async function bundleConsole(): Promise<BundledFile[]> {
  const { outputFiles } = await build({
    absWorkingDir: source,
    entryPoints: { console: 'main.tsx', style: 'styles/main.css' },
    outdir: '/',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  })
  return outputFiles.map(({ path, contents }) => ({
    name: path.split(/[/\\]/).at(-1) ?? '',
    content: contents,
  }))
}
