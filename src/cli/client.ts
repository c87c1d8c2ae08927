import { Argument, Command, Option } from 'commander'
import type { ClientStore } from '../auth/client-store.ts'
import { escapeInvisible } from '../contract/characters.ts'
import { type Scope, scopes } from '../contract/scopes.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { addCreateFlag, withStore } from './common/database.ts'
import { addSubcommands, createSubcommand } from './common/subcommands.ts'

interface Flags {
  readonly database?: string
  readonly create?: boolean
  readonly scope?: readonly string[]
}

const nameLengthMax = 256

export function clientCommand(terminal: Terminal): Command {
  const command = new Command('client')
    .summary('manage the API clients of the product catalogue and the intake')
    .description(
      'Manages the API clients that may change products of the catalogue or send data to the intake. A client gets its tokens from /v1/token with its ID and secret.',
    )
    .addHelpText(
      'after',
      `
To change a secret without downtime: add a second client, switch to it, then remove the first.

Example:
  holdfast client add pricing-team --scope products.write
  holdfast client add core --scope data.write
  holdfast client list
  holdfast client rotate ID`,
    )
  const subcommands = [addCommand, listCommand, rotateCommand, removeCommand]
  return addSubcommands(
    command,
    subcommands.map((create) => create(terminal)),
  )
}

function idArgument(): Argument {
  return new Argument('<id>', 'the ID in the output of client list')
}

function addCommand(terminal: Terminal): Command {
  return createSubcommand(
    'add',
    'register an API client and print its ID and secret; the secret cannot be shown again',
  )
    .addArgument(new Argument('<name>', 'a display name'))
    .addOption(
      new Option(
        '--scope <scope>',
        `permission of the client: ${scopes.join(', ')}; required, repeatable`,
      )
        .argParser((scope: string, previous: readonly string[] = []) => [...previous, scope])
        .makeOptionMandatory(),
    )
    .addHelpText('after', '\nExample: holdfast client add pricing-team --scope products.write')
    .action(async (name: string, flags: Flags) => {
      const granted = parseScopes(flags.scope ?? [])
      if (!isPrintable(name)) {
        throw new CommandError(2, `the name must be 1 to ${nameLengthMax} printable characters`)
      }
      await withClients({ ...flags, create: true }, terminal, async (store) => {
        const { hashSecret, makeSecret } = await import('../auth/secrets.ts')
        const id = crypto.randomUUID()
        const client = { id, name, scopes: granted, created: Temporal.Now.instant() }
        const secret = makeSecret()
        await store.add(client, hashSecret(secret))
        printCredentials(id, secret, terminal)
      })
    })
}

function listCommand(terminal: Terminal): Command {
  return addCreateFlag(createSubcommand('list', 'list the API clients')).action((flags: Flags) =>
    withClients(flags, terminal, async (store) => {
      const { isCurrentHash } = await import('../auth/secrets.ts')
      for (const { id, name, scopes, created, rotated, secretHash } of await store.list()) {
        const rotation = rotated ? `, secret rotated ${rotated}` : ''
        const outdated = isCurrentHash(secretHash)
          ? ''
          : ', secret stored by an earlier version and rejected: run holdfast client rotate'
        terminal.out(
          `${id}  ${scopes.join(' ')}  created ${created}${rotation}${outdated}  ${escapeInvisible(name)}\n`,
        )
      }
    }),
  )
}

function rotateCommand(terminal: Terminal): Command {
  return createSubcommand(
    'rotate',
    'replace the secret of an API client; the old secret and its tokens become invalid',
  )
    .addArgument(idArgument())
    .action((id: string, flags: Flags) =>
      withClients(flags, terminal, async (store) => {
        const { hashSecret, makeSecret } = await import('../auth/secrets.ts')
        const secret = makeSecret()
        const isFound = await store.rotate(id, hashSecret(secret), Temporal.Now.instant())
        if (!isFound) throw unknownClient()
        printCredentials(id, secret, terminal)
      }),
    )
}

function removeCommand(terminal: Terminal): Command {
  return createSubcommand('remove', 'remove an API client; its tokens become invalid')
    .addArgument(idArgument())
    .action((id: string, flags: Flags) =>
      withClients(flags, terminal, async (store) => {
        if (!(await store.remove(id))) throw unknownClient()
      }),
    )
}

function printCredentials(id: string, secret: string, terminal: Terminal): void {
  terminal.out(`client_id: ${id}\nclient_secret: ${secret}\n`)
}

function unknownClient(): CommandError {
  return new CommandError(1, 'no client with this ID: run holdfast client list')
}

/** Accepts repeated flags and comma-separated lists. */
function parseScopes(texts: readonly string[]): Scope[] {
  const names = texts.flatMap((text) => text.split(/[\s,]+/)).filter((name) => name !== '')
  const granted = scopes.filter((scope) => names.includes(scope))
  if (granted.length === 0 || names.some((name) => !scopes.some((scope) => scope === name))) {
    throw new CommandError(2, `--scope must be one or more of ${scopes.join(', ')}`)
  }
  return granted
}

function isPrintable(name: string): boolean {
  return /^[^\p{Cc}\p{Cs}]+$/u.test(name) && name.length <= nameLengthMax
}

function withClients(
  { scope: _scope, ...storeFlags }: Flags,
  terminal: Terminal,
  work: (store: ClientStore) => Promise<void>,
): Promise<void> {
  return withStore(
    storeFlags,
    terminal,
    (storage, ...args) => storage.openClientStore(...args),
    work,
  )
}
