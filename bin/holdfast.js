#!/usr/bin/env node
// The only file that must run on any Node version: it checks the version, then starts the program. A
// clone runs the TypeScript sources; a published package contains only the compiled JavaScript.
const nodeMajorMin = 26

if (Number(process.versions.node.split('.')[0]) < nodeMajorMin) {
  console.error(
    `holdfast requires Node ${nodeMajorMin} or newer; this is ${process.version}.\n` +
      'In a clone, run `npm ci` once and then `npx holdfast`, which uses a local Node.',
  )
  process.exit(2)
}

// An import of these modules would also load what they load only on demand.
const { existsSync } = process.getBuiltinModule('node:fs')
const { enableCompileCache } = process.getBuiltinModule('node:module')
const { fileURLToPath } = process.getBuiltinModule('node:url')

// Speeds up later starts, if this folder is writable.
const cacheFolder = fileURLToPath(new URL('../node_modules/.cache/holdfast', import.meta.url))
enableCompileCache(cacheFolder)

const args = process.argv.slice(2)
const source = new URL('../src/cli/main.ts', import.meta.url)
const { main, stopWithParent, noteCodeLoaded } = existsSync(source)
  ? await import(source.href)
  : await loadCompiled()
stopWithParent()
process.exitCode = await main(args)
noteCodeLoaded()

async function loadCompiled() {
  const { loadProgram } = await import('./load-program.js')
  const compiled = new URL('../dist/program/main.cjs', import.meta.url)
  return loadProgram(fileURLToPath(compiled), cacheFolder, args)
}
