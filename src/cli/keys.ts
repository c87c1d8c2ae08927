import { Command, Option } from 'commander'
import { type SigningKeyStore, toPrivateJwk } from '../auth/signing-key-store.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { systemReason } from '../storage/system-reason.ts'
import { addCreateFlag, readNow, withStore } from './common/database.ts'
import { writeSecretFile } from './common/private-file.ts'
import { addSubcommands, createSubcommand, idArgument } from './common/subcommands.ts'
import { type Side, sides } from './records/open-records.ts'

interface Flags {
  readonly of?: Side
  readonly database?: string
  readonly create?: boolean
  readonly algorithm?: string
  readonly output?: string
  readonly force?: boolean
}

/** The same as `signingAlgorithms`, which a test checks: importing that would load the cryptography for --help. */
const algorithms = ['ES256', 'PS256', 'RS256', 'EdDSA']

export function keysCommand(terminal: Terminal): Command {
  const command = new Command('keys')
    .summary('list, add, export and retire the platform’s signing keys')
    .description(
      'Manages the keys that the platform signs tokens and records with. The platform publishes the public keys at /.well-known/jwks.json. With --of provider, manages the keys that a provider or a guard signs its records with (HOLDFAST_RECORDS).',
    )
    .addHelpText(
      'after',
      `
To rotate without downtime: add a key, wait until every provider has fetched the key set (a provider fetches it when a token
names an unknown key), then retire the old key. A key of a provider needs no wait: a running server signs with the newest one,
and holdfast records verify also uses retired ones.

Example:
  holdfast keys add --algorithm ES256
  holdfast keys list
  holdfast keys export ID
  holdfast keys retire ID
  holdfast keys add --of provider`,
    )
  return addSubcommands(command, terminal, listCommand, addCommand, exportCommand, retireCommand)
}

type Keys = Omit<SigningKeyStore, 'close'>

function addSideOption(command: Command): Command {
  return command.addOption(
    new Option('--of <side>', 'the keys of the platform, or those of a provider or a guard')
      .choices(sides)
      .default('platform'),
  )
}

/** Calls `work` with the keys of a side. Those of a provider are with its records, which only a server creates. */
function withKeys<Result>(
  flags: Flags,
  terminal: Terminal,
  work: (keys: Keys) => Promise<Result>,
): Promise<Result> {
  if (flags.of !== 'provider') return withStore('openSigningKeyStore', flags, terminal, work)
  const existing = { ...flags, create: false }
  return withStore('openProviderRecords', existing, terminal, ({ signingKeys }) =>
    work(signingKeys),
  )
}

function listCommand(terminal: Terminal): Command {
  const command = createSubcommand('list', 'list the platform’s signing keys')
  return addSideOption(addCreateFlag(command)).action((flags: Flags) =>
    withKeys(flags, terminal, async (store) => {
      for (const { id, algorithm, created, retired } of await store.list()) {
        const state = retired ? `retired ${retired}` : 'active'
        terminal.out(`${id}  ${algorithm.padEnd(5)}  created ${created}  ${state}\n`)
      }
    }),
  )
}

function addCommand(terminal: Terminal): Command {
  const command = createSubcommand(
    'add',
    'create a signing key and print its ID; the newest key signs, for third parties after a minute',
  )
  return addSideOption(command)
    .addOption(
      new Option('--algorithm <name>', 'the signature algorithm')
        .choices(algorithms)
        .default('ES256'),
    )
    .action((flags: Flags) =>
      withKeys({ ...flags, create: true }, terminal, async (store) => {
        const { makeSigningKey, signingAlgorithms } = await import('../auth/signing.ts')
        const algorithm = signingAlgorithms.find((name) => name === flags.algorithm) ?? 'ES256'
        const key = await makeSigningKey(algorithm, await readNow(store))
        await store.add(key)
        terminal.out(`${key.id}\n`)
      }),
    )
}

function exportCommand(terminal: Terminal): Command {
  return createSubcommand(
    'export',
    'write a private signing key to a file as a JWK and print the name of the file',
  )
    .addArgument(idArgument('keys list'))
    .option(
      '--output <file>',
      'the file to create, which only its owner can access; - writes the key to standard output (default: ID.jwk)',
    )
    .option('--force', 'replace an existing file')
    .addHelpText(
      'after',
      `
The file contains the private key: anyone who has it can request the data of every customer. Delete it after use, and retire
the key if it may have been copied.

Examples:
  holdfast keys export ID
  holdfast call getCustomer --customer c1 --key ID.jwk
  holdfast keys export ID --output - | ssh batch.example 'umask 077; cat > platform.jwk'`,
    )
    .action((id: string, flags: Flags) =>
      withStore('openSigningKeyStore', flags, terminal, async (store) => {
        const key = (await store.list()).find((each) => each.id === id && !each.retired)
        if (!key) throw unknownKey(flags)
        const jwk = { ...toPrivateJwk(key), use: 'sig' }
        const { output = `${id}.jwk`, force = false } = flags
        await writeKey(`${JSON.stringify(jwk, null, 2)}\n`, output, force, terminal)
      }),
    )
}

async function writeKey(
  jwk: string,
  file: string,
  isReplacing: boolean,
  terminal: Terminal,
): Promise<void> {
  if (file === '-') {
    if (!terminal.isOutputTerminal) return terminal.write(jwk)
    throw new CommandError(2, 'a private key is not printed to a terminal: use --output FILE')
  }
  try {
    writeSecretFile(file, jwk, isReplacing)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST')
      throw new CommandError(1, `${file} already exists: choose another file, or use --force`)
    throw new CommandError(1, `${file} cannot be written: ${systemReason(code)}`)
  }
  terminal.out(`${file}\n`)
}

function retireCommand(terminal: Terminal): Command {
  const command = createSubcommand(
    'retire',
    'stop using a signing key and remove it from the published key set',
  )
  return addSideOption(command)
    .addArgument(idArgument('keys list'))
    .action((id: string, flags: Flags) =>
      withKeys(flags, terminal, async (store) => {
        const keys = (await store.list()).filter(({ retired }) => !retired)
        const isLast = keys.length === 1 && keys[0]?.id === id
        if (isLast && flags.of === 'provider') {
          const reason = 'this is the last key, and without one the provider answers no request'
          throw new CommandError(1, `${reason}: run holdfast keys add --of provider first`)
        }
        if (!(await store.retire(id, await readNow(store)))) throw unknownKey(flags)
        if (flags.of === 'provider') return
        const { fapiAlgorithms, isFapiKey } = await import('../platform/consent/client-metadata.ts')
        const usable = keys.filter(isFapiKey)
        if (usable.length === 1 && usable[0]?.id === id) {
          terminal.error(
            `warning: this was the last key for ${fapiAlgorithms.join(' or ')}. A platform with an issuer uses it until it is restarted, and does not start without one.\n`,
          )
        }
      }),
    )
}

function unknownKey({ of }: Flags): CommandError {
  const list = of === 'provider' ? 'keys list --of provider' : 'keys list'
  return new CommandError(1, `no active key with this ID: run holdfast ${list}`)
}
