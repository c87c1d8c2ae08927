import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { it } from 'node:test'
import type { Command } from 'commander'
import { addOperationCommands } from '../src/cli/call/operation-commands.ts'
import { defineCommands } from '../src/cli/commands.ts'
import { processTerminal } from '../src/server/terminal.ts'
import { findHoldfastArguments, findShownCommands } from './support/shown-commands.ts'

const root = new URL('..', import.meta.url)

/** The problem of a command line of `holdfast`; undefined if it has none. */
function findProblem(holdfast: Command, args: readonly string[]): string | undefined {
  let command = holdfast
  let values = 0
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? ''
    if (word === '…') continue
    if (word.startsWith('--')) {
      const [flag = ''] = word.split('=')
      const option = [command, ...ancestors(command)]
        .flatMap((each) => each.options)
        .find(({ long }) => long === flag)
      if (!option && flag !== '--help') return `${fullName(command)} has no ${flag}`
      if (option && (option.required || option.optional) && !word.includes('=')) {
        index += 1
        const value = args[index]
        if (value === undefined) return `${flag} of ${fullName(command)} needs a value`
        const choices = option.argChoices
        if (choices && !choices.includes(value)) return `${flag} cannot be ${value}`
      }
      continue
    }
    const subcommand = command.commands.find(
      (each) => each.name() === word || each.aliases().includes(word),
    )
    if (subcommand) command = subcommand
    else if (command.commands.length > 0) return `${fullName(command)} has no ${word}`
    else values += 1
  }
  const accepted = command.registeredArguments
  const isVariadic = accepted.some(({ variadic }) => variadic)
  if (!isVariadic && values > accepted.length) return `${fullName(command)} takes fewer arguments`
  const required = accepted.filter((argument) => argument.required).length
  return values < required ? `${fullName(command)} needs an argument` : undefined
}

const ancestors = (command: Command): Command[] =>
  command.parent ? [command.parent, ...ancestors(command.parent)] : []

const fullName = (command: Command): string =>
  [command, ...ancestors(command)]
    .map((each) => each.name())
    .reverse()
    .join(' ')

const listPages = (...patterns: readonly string[]) =>
  globSync(['README.md', ...patterns], { cwd: root, exclude: ['docs/reference/*'] }).map(
    (path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }),
  )

it('the README and the guides show commands that can be pasted, also where holdfast is not installed', () => {
  const unrunnable = listPages('docs/guides/*.md').flatMap(({ path, text }) =>
    findShownCommands(text)
      .filter((line) => /^(\w+=[^\s$]* )*holdfast /.test(line))
      .map((line) => `${path}: ${line}`),
  )

  assert.deepEqual(unrunnable, [])
})

it('the README, guides and examples show commands with arguments and flags that exist', () => {
  const terminal = processTerminal()
  const holdfast = defineCommands(terminal)
  const call = holdfast.commands.find((command) => command.name() === 'call')
  assert.ok(call)
  addOperationCommands(call, terminal)
  const shown = listPages('docs/**/*.md', 'examples/*/README.md').flatMap(({ path, text }) =>
    findShownCommands(text)
      .flatMap(findHoldfastArguments)
      .map((args) => ({ path, args })),
  )
  const problems = shown.flatMap(({ path, args }) => {
    const problem = findProblem(holdfast, args)
    return problem === undefined ? [] : [`${path}: holdfast ${args.join(' ')}: ${problem}`]
  })

  assert.deepEqual(problems, [])
  assert.ok(shown.length > 80, String(shown.length))
})
