import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { launchOptions } from '../test/client/browser.ts'
import { startListening } from '../test/support/process.ts'
import { buildForTests, makeRunFolder, type Program, runTests } from './test-run.ts'

/**
 * Runs the given files, or all tests in a browser, against the command as published. They share one browser, and each
 * starts with a copy of one database of the demo, since generating its data takes longer than a start with it.
 */
const given = process.argv.slice(2)

/** More than the number of cores, because tests wait for timers and for limits of the server. */
const concurrency = 3

const folder = makeRunFolder()
const program = await buildForTests(folder)
const database = await makeDemoDatabase(program)
const browser = await chromium.launchServer(launchOptions())
const files = given.length > 0 ? given : globSync('test/**/*.browser.ts').sort()
process.exitCode = await runTests(program, [`--test-concurrency=${concurrency}`], files, {
  BROWSER_FOR_TESTS: browser.wsEndpoint(),
  DEMO_DATABASE_FOR_TESTS: database,
})
await browser.close()
rmSync(folder, { recursive: true, force: true })

/** The file of a database that a demo has filled. */
async function makeDemoDatabase({ path, compileCache }: Program): Promise<string> {
  const file = join(folder, 'demo.db')
  const command = [process.execPath, path, 'demo', '--port', '0', '--database', `sqlite:${file}`]
  const demo = await startListening({ after: () => {} }, command, {
    ready: /Ctrl-C/,
    environment: { NODE_COMPILE_CACHE: compileCache },
  })
  await demo.stop()
  return file
}
