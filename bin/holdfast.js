#!/usr/bin/env node
// The one file that must run on any Node: it says which Node is needed, then starts the program. A
// clone runs its TypeScript as it is; a published package has only the compiled JavaScript.
import { existsSync } from 'node:fs'

const nodeMajorMin = 26

if (Number(process.versions.node.split('.')[0]) < nodeMajorMin) {
  console.error(
    `holdfast needs Node ${nodeMajorMin} or newer, and this is ${process.version}.\n` +
      'In a clone, run `npm ci` once and then `npx holdfast`: it brings its own Node.',
  )
  process.exit(2)
}

const source = new URL('../src/cli/main.ts', import.meta.url)
const compiled = new URL('../dist/cli/main.js', import.meta.url)
const { main } = await import((existsSync(source) ? source : compiled).href)
process.exitCode = await main(process.argv.slice(2))
