#!/usr/bin/env node
// The one file that must run on any Node: it says which Node is needed, then starts the program. A
// clone runs its TypeScript as it is; a published package has only the compiled JavaScript.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

const nodeMajorMin = 26

if (Number(process.versions.node.split('.')[0]) < nodeMajorMin) {
  console.error(
    `holdfast needs Node ${nodeMajorMin} or newer, and this is ${process.version}.\n` +
      'In a clone, run `npm ci` once and then `npx holdfast`: it brings its own Node.',
  )
  process.exit(2)
}

// V8 would learn to make short-lived things of requests where long-lived ones belong, and all that those point at
// stayed with them until a full collection: 4 KB of every request.
setFlagsFromString('--no-allocation-site-pretenuring')

// What was compiled once need not be again, where this folder may be written to.
const { enableCompileCache } = await import('node:module')
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/holdfast', import.meta.url)))

const source = new URL('../src/cli/main.ts', import.meta.url)
const compiled = new URL('../dist/program/main.js', import.meta.url)
const { main, stopWithParent } = await import((existsSync(source) ? source : compiled).href)
stopWithParent()
process.exitCode = await main(process.argv.slice(2))
