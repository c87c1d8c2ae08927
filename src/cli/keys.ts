import { Command, Option } from 'commander'
import { toPrivateJwk } from '../auth/signing-key-store.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { systemReason } from '../storage/system-reason.ts'
import { addCreateFlag, readNow, withStore } from './common/database.ts'
import { writeSecretFile } from './common/private-file.ts'
import { addSubcommands, createSubcommand, idArgument } from './common/subcommands.ts'

interface Flags {
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
  holdfast keys export ID
  holdfast keys retire ID`,
    )
  return addSubcommands(command, terminal, listCommand, addCommand, exportCommand, retireCommand)
}

function listCommand(terminal: Terminal): Command {
  const command = createSubcommand('list', 'list the platform’s signing keys')
  return addCreateFlag(command).action((flags: Flags) =>
    withStore('openSigningKeyStore', flags, terminal, async (store) => {
      for (const { id, algorithm, created, retired } of await store.list()) {
        const state = retired ? `retired ${retired}` : 'active'
        terminal.out(`${id}  ${algorithm.padEnd(5)}  created ${created}  ${state}\n`)
      }
    }),
  )
}

function addCommand(terminal: Terminal): Command {
  return createSubcommand(
    'add',
    'create a signing key and print its ID; the newest key signs, for third parties after a minute',
  )
    .addOption(
      new Option('--algorithm <name>', 'the signature algorithm')
        .choices(algorithms)
        .default('ES256'),
    )
    .action((flags: Flags) =>
      withStore('openSigningKeyStore', { ...flags, create: true }, terminal, async (store) => {
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
        if (!key) throw unknownKey()
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
  return createSubcommand(
    'retire',
    'stop using a signing key and remove it from the published key set',
  )
    .addArgument(idArgument('keys list'))
    .action((id: string, flags: Flags) =>
      withStore('openSigningKeyStore', flags, terminal, async (store) => {
        const keys = await store.list()
        if (!(await store.retire(id, await readNow(store)))) throw unknownKey()
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

function unknownKey(): CommandError {
  return new CommandError(1, 'no active key with this ID: run holdfast keys list')
}
