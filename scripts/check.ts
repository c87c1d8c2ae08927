import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** Runs the commands of `npm run check` at once, and prints the output of each when it ends. It fails if one fails. */
const commands = [
  // Four checkers, the default, each check the types that they share: with one, and without garbage collections below 3 GiB
  // (package.json), the compiler takes half the CPU time.
  'tsc --checkers 1',
  'biome check --error-on-warnings .',
  'node --test test/tidy.test.ts test/interface-sentences.test.ts',
  'tsc --checkers 1 --project src/console',
]

const results = await Promise.all(commands.map(run))
process.exitCode = results.every((succeeded) => succeeded) ? 0 : 1

async function run(command: string): Promise<boolean> {
  const [program = '', ...flags] = command.split(' ')
  const child = spawn(program, flags, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  process.stdout.write(`> ${command}\n${output}${errors}`)
  if (status !== 0) console.error(`${command} failed`)
  return status === 0
}
