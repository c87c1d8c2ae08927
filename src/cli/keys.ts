import { Argument, Command, Option } from 'commander'
import type { SigningKeyStore } from '../auth/signing-key-store.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { addCreateFlag, withStore } from './common/database.ts'
import { addSubcommands, createSubcommand } from './common/subcommands.ts'

interface Flags {
  readonly database?: string
  readonly create?: boolean
  readonly algorithm?: string
}

/** The same as `signingAlgorithms`, which a test checks: importing that would load the cryptography for --help. */
const algorithms = ['ES256', 'PS256', 'RS256', 'EdDSA']

export function keysCommand(terminal: Terminal): Command {
  const command = new Command('keys')
    .summary('list, add and retire the platform’s signing keys')
    .description(
      'Manages the keys that the platform signs tokens with. The platform publishes the public keys at /.well-known/jwks.json.',
    )
    .addHelpText(
      'after',
      `
To rotate without downtime: add a key, wait until every provider has fetched the key set (a provider fetches it when a token
names an unknown key), then retire the old key.

Example:
  holdfast keys add --algorithm ES256
  holdfast keys list
  holdfast keys retire ID`,
    )
  const subcommands = [listCommand, addCommand, retireCommand]
  return addSubcommands(
    command,
    subcommands.map((create) => create(terminal)),
  )
}

function listCommand(terminal: Terminal): Command {
  const command = createSubcommand('list', 'list the platform’s signing keys')
  return addCreateFlag(command).action((flags: Flags) =>
    withKeys(flags, terminal, async (store) => {
      for (const { id, algorithm, created, retired } of await store.list()) {
        const state = retired ? `retired ${retired}` : 'active'
        terminal.out(`${id}  ${algorithm.padEnd(5)}  created ${created}  ${state}\n`)
      }
    }),
  )
}

function addCommand(terminal: Terminal): Command {
  return createSubcommand('add', 'create a signing key and print its ID; the newest key signs')
    .addOption(
      new Option('--algorithm <name>', 'the signature algorithm')
        .choices(algorithms)
        .default('ES256'),
    )
    .action((flags: Flags) =>
      withKeys({ ...flags, create: true }, terminal, async (store) => {
        const { makeSigningKey, signingAlgorithms } = await import('../auth/signing.ts')
        const algorithm = signingAlgorithms.find((name) => name === flags.algorithm) ?? 'ES256'
        const key = await makeSigningKey(algorithm, Temporal.Now.instant())
        await store.add(key)
        terminal.out(`${key.id}\n`)
      }),
    )
}

function retireCommand(terminal: Terminal): Command {
  return createSubcommand(
    'retire',
    'stop using a signing key and remove it from the published key set',
  )
    .addArgument(new Argument('<id>', 'the ID in the output of keys list'))
    .action((id: string, flags: Flags) =>
      withKeys(flags, terminal, async (store) => {
        if (await store.retire(id, Temporal.Now.instant())) return
        throw new CommandError(1, 'no active key with this ID: run holdfast keys list')
      }),
    )
}

function withKeys(
  flags: Flags,
  terminal: Terminal,
  work: (store: SigningKeyStore) => Promise<void>,
): Promise<void> {
  const { algorithm: _algorithm, ...storeFlags } = flags
  return withStore(
    storeFlags,
    terminal,
    (storage, ...args) => storage.openSigningKeyStore(...args),
    work,
  )
}
