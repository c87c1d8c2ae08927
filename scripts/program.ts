import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { bundleConsole } from '../src/server/bundle-console.ts'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** Bundles for the Node that Holdfast requires. */
export const bundleOptions = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node26',
  logLevel: 'warning',
} as const satisfies BuildOptions

/** Packages that are CommonJS modules call it for the modules of Node. */
const makeRequire = `import { createRequire as $createRequire } from 'node:module'
const require = $createRequire(import.meta.url)`

/**
 * Bundles the command and the module `holdfast/server` into few files, because loading many files makes every start
 * slower. The compiler of TypeBox, which has 230 files, is bundled. The packages for HTTP, signing and databases stay
 * dependencies, so that they can be audited and updated separately; `bundled` names those that a run of tests bundles.
 * Names stay and lines are short, so that a stack trace shows the function and the statement.
 */
export async function buildProgram(folder: string, bundled: readonly string[] = []): Promise<void> {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  const external = Object.keys(dependencies)
  await build({
    ...bundleOptions,
    ...(bundled.length > 0 && { banner: { js: makeRequire } }),
    entryPoints: {
      main: 'src/cli/main.ts',
      'check-thread': 'src/platform/check-runs/check-thread.ts',
      server: 'src/server/index.ts',
    },
    minifyWhitespace: true,
    lineLimit: 160,
    outdir: folder,
    external: [...external.filter((name) => !['typebox', ...bundled].includes(name)), 'esbuild'],
  })
  copyFileSync(join(root, 'node_modules', 'typebox', 'license'), join(folder, 'typebox-license'))
}

/** The packages that the pages of the console contain. */
export const bundledInConsole = [
  'preact',
  '@preact/signals',
  '@preact/signals-core',
  '@fontsource-variable/inter',
] as const

/** Bundles the console for browsers, with the licences of what it contains. */
export async function buildConsole(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const { name, content } of await bundleConsole()) writeFileSync(join(folder, name), content)
  for (const name of bundledInConsole) {
    const files = readdirSync(join(root, 'node_modules', name))
    const licence = files.find((file) => /^licen[cs]e(\.\w+)?$/i.test(file))
    if (licence === undefined) throw new Error(`${name} has no licence file`)
    const target = `${name.replaceAll(/\W+/g, '-').replace(/^-/, '')}-license`
    copyFileSync(join(root, 'node_modules', name, licence), join(folder, target))
  }
}

/** Installs the command as published, without sources, in a folder of its own. Returns its path. */
export async function installProgram(folder: string, bundled?: readonly string[]): Promise<string> {
  for (const part of ['bin', 'package.json']) {
    cpSync(join(root, part), join(folder, part), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  await buildProgram(join(folder, 'dist', 'program'), bundled)
  await buildConsole(join(folder, 'dist', 'console'))
  return join(folder, 'bin', 'holdfast.js')
}
