import { Command } from 'commander'
import type { SigningKey } from '../client/sign.ts'
import { databaseOptions } from '../server/database-options.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import type { Settings } from '../settings/settings.ts'
import { databaseSettings, prepareDatabase } from './common/database.ts'
import { readJwkFile } from './common/jwk-file.ts'
import { addSettingFlags, readCommandSettings } from './common/setting-flags.ts'

interface Flags {
  readonly database?: string
  readonly subdomain?: string
  readonly key?: string
}

export function tokenCommand(terminal: Terminal): Command {
  const command = new Command('token')
    .summary('print a single-use token for a URL')
    .description(
      'Prints a token for one request to one URL, signed with the newest signing key of the platform or with a key from a file. The demo accepts it.',
    )
    .argument('<url>', 'the URL to request; its query is ignored')
    .option('--key <file>', 'sign with this private JWK, which must have kid and alg')
    .addHelpText(
      'after',
      '\nExample: curl -s -H "Authorization: Bearer $(holdfast token $URL)" $URL',
    )
  return addSettingFlags(command, 'demo', [...databaseSettings, 'subdomain']).action(
    async (url: string, { key, ...flags }: Flags) => {
      if (!URL.canParse(url))
        throw new CommandError(
          2,
          '<url> must be a complete URL, such as http://127.0.0.1:8080/v1/banking',
        )
      const settings = readCommandSettings('demo', flags, terminal)
      const signer = key === undefined ? await findNewestKey(settings, terminal) : readKey(key)
      const { openSigner } = await import('../client/sign.ts')
      const [resource = url] = url.split(/[?#]/, 1)
      const token = await openSigner(
        signer,
        settings.subdomain ?? '',
      )(resource).catch(() => {
        throw new CommandError(2, `the key${key ? ` in ${key}` : ''} cannot be used for signing`)
      })
      terminal.out(`${token}\n`)
    },
  )
}

async function findNewestKey(
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  terminal: Terminal,
): Promise<SigningKey> {
  await prepareDatabase(settings, false, terminal)
  const { openSigningKeyStore } = await import('../storage/open.ts')
  const store = await openSigningKeyStore(settings.database, databaseOptions(settings))
  try {
    const key = (await store.list()).find(({ retired }) => retired === undefined)
    if (key) return { ...key.privateKey, kid: key.id, alg: key.algorithm }
    throw new CommandError(1, 'no signing key found: create one with holdfast keys add')
  } finally {
    await store.close()
  }
}

function readKey(file: string): SigningKey {
  const key = { ...(readJwkFile(file) as Partial<SigningKey> | null) }
  const { kid, alg } = key
  if (typeof kid === 'string' && typeof alg === 'string') return { ...key, kid, alg }
  throw new CommandError(2, `${file} must contain a JWK with kid and alg`)
}
