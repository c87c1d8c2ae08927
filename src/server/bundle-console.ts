import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { renderFontFace, renderTokens } from '../design/tokens.ts'

/** A file of the console, by its name in the folder of the build. */
export interface BundledFile {
  readonly name: string
  readonly content: Uint8Array
}

const source = fileURLToPath(new URL('../console', import.meta.url))

/** The Latin letters of Inter, in all weights. */
const font = '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'

/** The module `tokens.css`: the custom properties that all pages share, and the font. */
const tokens: Plugin = {
  name: 'tokens',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^tokens\.css$/ }, () => ({ path: 'tokens.css', namespace: 'tokens' }))
    onLoad({ filter: /.*/, namespace: 'tokens' }, () => ({
      contents: renderFontFace(`"${font}"`) + renderTokens(),
      loader: 'css',
      resolveDir: source,
    }))
  },
}

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
    assetNames: '[name]-[hash]',
    loader: { '.woff2': 'file' },
    plugins: [tokens],
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
