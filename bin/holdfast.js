#!/usr/bin/env node
// The only file that must run on any Node version: it checks the version, then starts the program. A
// clone runs the TypeScript sources; a published package contains only the compiled JavaScript.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Earlier releases of Node 26 accept a resumed TLS session without a client certificate. */
const nodeMin = [26, 8]

const source = new URL('../src/cli/main.ts', import.meta.url)
const isClone = existsSync(source)
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < nodeMin[0] || (major === nodeMin[0] && minor < nodeMin[1])) {
  const needed = isClone
    ? 'Run `npm ci` once and then `npx holdfast`, which uses a local Node.'
    : 'Install it from https://nodejs.org/en/download. For one project, `npm install node@26` installs it\n' +
      'locally, and `npx holdfast` uses it.'
  console.error(
    `holdfast requires Node ${nodeMin.join('.')} or newer; this is ${process.version}.\n${needed}`,
  )
  process.exit(2)
}

// Speeds up later starts, if this folder is writable.
const { enableCompileCache } = await import('node:module')
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/holdfast', import.meta.url)))

const compiled = new URL('../dist/program/main.js', import.meta.url)
const { main, stopWithParent } = await import((isClone ? source : compiled).href)
stopWithParent()
process.exitCode = await main(process.argv.slice(2))
