import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../test/support/free-port.ts'
import { startListening } from '../test/support/process.ts'
import {
  buildForTests,
  listOthers,
  makeRunFolder,
  type Program,
  runTests,
  toSpecifier,
  writeGroups,
} from './test-run.ts'

/**
 * Runs the given files, or all tests in a browser, against the command as published. Each demo starts with a copy of one
 * database, since generating its data takes longer than a start with it.
 */
const given = process.argv.slice(2)

/** The files of a group share a process and a browser, because loading the code and starting a browser takes seconds. The groups take the same time. */
const groups = [
  ['checks', 'explorer', 'sign-in', 'people', 'usage', 'corrections', 'catalogue-links'],
  ['editor', 'consents', 'overview', 'catalogue-size'],
  ['catalogue', 'monitoring', 'demo', 'many-rows'],
  ['editor-states', 'api', 'catalogue-safety', 'catalogue-import', 'publicity', 'units', 'client'],
].map((names) => names.flatMap((name) => globSync(`test/*/${name}.browser.ts`)))

const folder = makeRunFolder()
const program = await buildForTests(folder)
const database = await makeDemoDatabase(program)
const all = globSync('test/**/*.browser.ts').sort()
const files =
  given.length > 0
    ? given
    : [...writeGroups(folder, groups.map(formatImports)), ...listOthers(groups, all)]
// All groups at once: tests wait for timers and for limits of the server.
const flags = [`--test-concurrency=${groups.length}`]
process.exitCode = await runTests(program, flags, files, { DEMO_DATABASE_FOR_TESTS: database })
rmSync(folder, { recursive: true, force: true })

/** One after another: each file starts a demo. */
function formatImports(files: readonly string[]): string {
  return files.map((file) => `await import(${toSpecifier(file)})\n`).join('')
}

/** The file of a database that a demo has filled. */
async function makeDemoDatabase({ path, compileCache }: Program): Promise<string> {
  const file = join(folder, 'demo.db')
  const port = String(await findFreePort(4))
  const command = [process.execPath, path, 'demo', '--port', port, '--database', `sqlite:${file}`]
  const demo = await startListening({ after: () => {} }, command, {
    ready: /Ctrl-C/,
    environment: { NODE_COMPILE_CACHE: compileCache },
  })
  await demo.stop()
  return file
}
