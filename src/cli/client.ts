import { Argument, Command, Option } from 'commander'
import { escapeInvisible } from '../contract/characters.ts'
import { type Scope, scopes } from '../contract/scopes.ts'
import { profiles } from '../platform/consent/store.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import type { ThirdPartyFlags } from './client/third-party.ts'
import { addCreateFlag, readNow, withStore } from './common/database.ts'
import { addSubcommands, collect, createSubcommand, idArgument } from './common/subcommands.ts'

interface Flags extends ThirdPartyFlags {
  readonly database?: string
  readonly create?: boolean
  readonly scope?: readonly string[]
}

const nameLengthMax = 256

export function clientCommand(terminal: Terminal): Command {
  const command = new Command('client')
    .summary('manage API clients and third parties')
    .description(
      'Manages the API clients that may change products of the catalogue, send data to the intake or read consents, and the third parties that customers may share data with. An API client gets its tokens from /v1/token with its ID and secret. A third party signs its requests with its own keys.',
    )
    .addHelpText(
      'after',
      `
To change a secret without downtime: add a second client, switch to it, then remove the first.

Example:
  holdfast client add pricing-team --scope products.write
  holdfast client add core --scope data.write
  holdfast client add 'Example Budget' --redirect-uri https://budget.example/callback --jwks keys.json --scope openid,bank:accounts.basic:read
  holdfast client list
  holdfast client rotate ID`,
    )
  return addSubcommands(command, terminal, addCommand, listCommand, rotateCommand, removeCommand)
}

function addCommand(terminal: Terminal): Command {
  return createSubcommand(
    'add',
    'register an API client and print its ID and secret, which cannot be shown again; or, with --redirect-uri, a third party',
  )
    .addArgument(new Argument('<name>', 'a display name'))
    .addOption(
      new Option(
        '--scope <scope>',
        `permission of the client: ${scopes.join(', ')}, or for a third party the scopes of the guide to consent; required, repeatable`,
      )
        .argParser(collect)
        .makeOptionMandatory(),
    )
    .option(
      '--redirect-uri <uri>',
      'where customers return to the third party; an https URL, or an http URL of this host; repeatable',
      collect,
    )
    .option(
      '--jwks <file>',
      'a file with the public keys of the third party, or the URL of its key set',
    )
    .addOption(
      new Option(
        '--profile <name>',
        'the security profile of the third party: FAPI 2.0, or that of the Australian Consumer Data Standards',
      ).choices(profiles),
    )
    .option(
      '--recipient-base-uri <uri>',
      'the base URL of the third party, which is informed at arrangements/revoke below it that a consent ended early; an https URL, or an http URL of this host',
    )
    .addHelpText('after', '\nExample: holdfast client add pricing-team --scope products.write')
    .action(async (name: string, flags: Flags) => {
      if (!isPrintable(name)) {
        throw new CommandError(2, `the name must be 1 to ${nameLengthMax} printable characters`)
      }
      const { scope = [], redirectUri, jwks, profile, recipientBaseUri } = flags
      if (redirectUri !== undefined) {
        const { addThirdParty } = await import('./client/third-party.ts')
        return addThirdParty(name, splitScopes(scope), flags, terminal)
      }
      if ([jwks, profile, recipientBaseUri].some((value) => value !== undefined)) {
        throw new CommandError(
          2,
          '--jwks, --profile and --recipient-base-uri require --redirect-uri',
        )
      }
      const granted = parseScopes(scope)
      await withStore('openClientStore', { ...flags, create: true }, terminal, async (store) => {
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
  const command = createSubcommand('list', 'list the API clients and the third parties')
  return addCreateFlag(command).action(async (flags: Flags) => {
    await withStore('openClientStore', flags, terminal, async (store) => {
      for (const { id, name, scopes, created, rotated } of await store.list()) {
        const rotation = rotated ? `, secret rotated ${rotated}` : ''
        terminal.out(
          `${id}  ${scopes.join(' ')}  created ${created}${rotation}  ${escapeInvisible(name)}\n`,
        )
      }
    })
    const { formatThirdParty } = await import('./client/third-party.ts')
    await withStore('openConsentStore', flags, terminal, async ({ thirdParties }) => {
      for (const thirdParty of await thirdParties.list()) terminal.out(formatThirdParty(thirdParty))
    })
  })
}

function rotateCommand(terminal: Terminal): Command {
  return createSubcommand(
    'rotate',
    'replace the secret of an API client; the old secret and its tokens become invalid',
  )
    .addArgument(idArgument('client list'))
    .action((id: string, flags: Flags) =>
      withStore('openClientStore', flags, terminal, async (store) => {
        const { hashSecret, makeSecret } = await import('../auth/secrets.ts')
        const secret = makeSecret()
        const isFound = await store.rotate(id, hashSecret(secret), Temporal.Now.instant())
        if (!isFound) throw unknownClient()
        printCredentials(id, secret, terminal)
      }),
    )
}

function removeCommand(terminal: Terminal): Command {
  return createSubcommand(
    'remove',
    'remove an API client or a third party; its tokens become invalid, and what customers agreed with a third party ends',
  )
    .addArgument(idArgument('client list'))
    .action(async (id: string, flags: Flags) => {
      if (await withStore('openClientStore', flags, terminal, (store) => store.remove(id))) return
      await withStore('openConsentStore', flags, terminal, async (store) => {
        if (!(await store.thirdParties.remove(id, await readNow(store)))) throw unknownClient()
      })
    })
}

function printCredentials(id: string, secret: string, terminal: Terminal): void {
  terminal.out(`client_id: ${id}\nclient_secret: ${secret}\n`)
}

function unknownClient(): CommandError {
  return new CommandError(1, 'no client with this ID: run holdfast client list')
}

/** Accepts repeated flags and comma-separated lists. */
function splitScopes(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(/[\s,]+/)).filter((name) => name !== '')
}

function parseScopes(texts: readonly string[]): Scope[] {
  const names = splitScopes(texts)
  const granted = scopes.filter((scope) => names.includes(scope))
  if (granted.length === 0 || names.some((name) => !scopes.some((scope) => scope === name))) {
    throw new CommandError(2, `--scope must be one or more of ${scopes.join(', ')}`)
  }
  return granted
}

function isPrintable(name: string): boolean {
  return /^[^\p{Cc}\p{Cs}]+$/u.test(name) && name.length <= nameLengthMax
}
