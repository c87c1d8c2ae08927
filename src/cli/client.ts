import { Argument, Command, Option } from 'commander'
import type { ClientStore } from '../auth/client-store.ts'
import { escapeInvisible } from '../contract/characters.ts'
import { type Scope, scopes } from '../contract/records/access.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { addCreateFlag, databaseSettings } from './database.ts'
import { addSettingFlags } from './settings-command.ts'
import { withStore } from './with-store.ts'

interface Flags {
  readonly database?: string
  readonly create?: boolean
  readonly scope?: readonly string[]
}

const nameLengthMax = 256

export function clientCommand(terminal: Terminal): Command {
  const command = (name: string, summary: string) =>
    addSettingFlags(new Command(name).summary(summary).description(summary), databaseSettings)
  const id = new Argument('<id>', 'as client list shows it')

  const add = command('add', 'register an API client; its secret is shown this once')
    .addArgument(new Argument('<name>', 'who it is, for people'))
    .addOption(
      new Option('--scope <scope>', `what it may do: ${scopes.join(', ')}; can be given twice`)
        .argParser((scope: string, before: readonly string[] = []) => [...before, scope])
        .makeOptionMandatory(),
    )
    .addHelpText('after', '\nExample: holdfast client add pricing-team --scope products.write')
    .action((name: string, flags: Flags) =>
      withClients({ ...flags, create: true }, terminal, async (store) => {
        const wanted = scopesOf(flags.scope ?? [])
        if (!isPrintable(name)) {
          throw new CommandError(2, `the name must be 1 to ${nameLengthMax} printable characters`)
        }
        const { hashSecret, makeSecret } = await import('../auth/secrets.ts')
        const client = {
          id: crypto.randomUUID(),
          name,
          scopes: wanted,
          created: Temporal.Now.instant(),
        }
        const secret = makeSecret()
        await store.add(client, hashSecret(secret))
        show(client.id, secret, terminal)
      }),
    )
  const list = addCreateFlag(command('list', 'list the API clients'))
  list.action((flags: Flags) =>
    withClients(flags, terminal, async (store) => {
      const { isCurrentHash } = await import('../auth/secrets.ts')
      for (const { id, name, scopes, created, rotated, secretHash } of await store.list()) {
        const since = rotated ? `, secret of ${rotated}` : ''
        const outdated = isCurrentHash(secretHash)
          ? ''
          : ', secret stored by an earlier version and refused: run holdfast client rotate'
        terminal.out(
          `${id}  ${scopes.join(' ')}  made ${created}${since}${outdated}  ${escapeInvisible(name)}\n`,
        )
      }
    }),
  )
  const rotate = command(
    'rotate',
    'give an API client a new secret; the old one and its tokens are refused from now on',
  )
    .addArgument(id)
    .action((id: string, flags: Flags) =>
      withClients(flags, terminal, async (store) => {
        const { hashSecret, makeSecret } = await import('../auth/secrets.ts')
        const secret = makeSecret()
        const isThere = await store.rotate(id, hashSecret(secret), Temporal.Now.instant())
        if (!isThere) throw unknownClient()
        show(id, secret, terminal)
      }),
    )
  const remove = command('remove', 'remove an API client; its tokens are refused from now on')
    .addArgument(id)
    .action((id: string, flags: Flags) =>
      withClients(flags, terminal, async (store) => {
        if (!(await store.remove(id))) throw unknownClient()
      }),
    )
  return new Command('client')
    .summary('add, list, rotate and remove API clients of the catalogue')
    .addHelpText(
      'after',
      '\nTo move to a new secret without a pause: add a second client, give it to the caller, then remove the first.',
    )
    .addCommand(add)
    .addCommand(list)
    .addCommand(rotate)
    .addCommand(remove)
}

function show(id: string, secret: string, terminal: Terminal): void {
  terminal.out(`client_id: ${id}\nclient_secret: ${secret}\n`)
}

function unknownClient(): CommandError {
  return new CommandError(1, 'there is no such client: holdfast client list shows them')
}

/** Given one by one or with commas between. */
function scopesOf(given: readonly string[]): Scope[] {
  const names = given.flatMap((text) => text.split(/[\s,]+/)).filter((name) => name !== '')
  const wanted = scopes.filter((scope) => names.includes(scope))
  if (wanted.length === 0 || names.some((name) => !scopes.some((scope) => scope === name))) {
    throw new CommandError(2, `--scope must be of ${scopes.join(', ')}`)
  }
  return wanted
}

function isPrintable(name: string): boolean {
  return /^[^\p{Cc}\p{Cs}]+$/u.test(name) && name.length <= nameLengthMax
}

function withClients(
  { scope: _scope, ...given }: Flags,
  terminal: Terminal,
  work: (store: ClientStore) => Promise<void>,
): Promise<void> {
  return withStore(given, terminal, (storage, ...at) => storage.openClientStore(...at), work)
}
