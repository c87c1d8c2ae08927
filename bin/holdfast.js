#!/usr/bin/env node
// The only file that must run on any Node version: it checks the version, then starts the program. A
// clone runs the TypeScript sources; a published package contains only the compiled JavaScript.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const nodeMajorMin = 26

if (Number(process.versions.node.split('.')[0]) < nodeMajorMin) {
  console.error(
    `holdfast requires Node ${nodeMajorMin} or newer; this is ${process.version}.\n` +
      'In a clone, run `npm ci` once and then `npx holdfast`, which uses a local Node.',
  )
  process.exit(2)
}

// Speeds up later starts, if this folder is writable.
const { enableCompileCache } = await import('node:module')
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/holdfast', import.meta.url)))

const source = new URL('../src/cli/main.ts', import.meta.url)
const compiled = new URL('../dist/program/main.js', import.meta.url)
const { main, stopWithParent } = await import((existsSync(source) ? source : compiled).href)
stopWithParent()
process.exitCode = await main(process.argv.slice(2))
