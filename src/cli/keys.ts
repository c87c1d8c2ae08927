import { Argument, Command, Option } from 'commander'
import type { SigningKeyStore } from '../auth/signing-key-store.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import { addCreateFlag, databaseSettings } from './database.ts'
import { addSettingFlags } from './settings-command.ts'
import { withStore } from './with-store.ts'

interface Flags {
  readonly database?: string
  readonly create?: boolean
  readonly algorithm?: string
}

/** As `signingAlgorithms` has them: a test holds the two together, so that help needs no cryptography. */
const algorithms = ['ES256', 'PS256', 'RS256', 'EdDSA']

export function keysCommand(terminal: Terminal): Command {
  const command = (name: string, summary: string) =>
    addSettingFlags(new Command(name).summary(summary).description(summary), databaseSettings)

  const list = addCreateFlag(command('list', 'list the platform’s signing keys'))
  list.action((flags: Flags) =>
    withKeys(flags, terminal, async (store) => {
      for (const { id, algorithm, created, retired } of await store.list()) {
        const state = retired ? `retired ${retired}` : 'in use'
        terminal.out(`${id}  ${algorithm.padEnd(5)}  made ${created}  ${state}\n`)
      }
    }),
  )
  const add = command('add', 'make a signing key; the newest one in use signs')
    .addOption(
      new Option('--algorithm <name>', 'what it signs with').choices(algorithms).default('ES256'),
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
  const retire = command('retire', 'take a signing key out of use and out of the published set')
    .addArgument(new Argument('<id>', 'as keys list shows it'))
    .action((id: string, flags: Flags) =>
      withKeys(flags, terminal, async (store) => {
        if (await store.retire(id, Temporal.Now.instant())) return
        throw new CommandError(1, 'no key in use has this id: holdfast keys list shows all keys')
      }),
    )
  return new Command('keys')
    .summary('list, add and retire the platform’s signing keys')
    .addHelpText(
      'after',
      '\nTo rotate without a pause: add a key, wait until every provider has fetched the key set (an unknown key makes it ask at once), then retire the old one.',
    )
    .addCommand(list)
    .addCommand(add)
    .addCommand(retire)
}

function withKeys(
  flags: Flags,
  terminal: Terminal,
  work: (store: SigningKeyStore) => Promise<void>,
): Promise<void> {
  const { algorithm: _algorithm, ...given } = flags
  return withStore(given, terminal, (storage, ...at) => storage.openSigningKeyStore(...at), work)
}
