import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import type { SigningKey } from '../client/sign.ts'
import { databaseOptions } from '../server/database-options.ts'
import { CommandError, type Terminal } from '../server/terminal.ts'
import type { Settings } from '../settings/settings.ts'
import { databaseSettings, prepareDatabase } from './database.ts'
import { addSettingFlags, settingsOf } from './settings-command.ts'

interface Flags {
  readonly database?: string
  readonly subdomain?: string
  readonly key?: string
}

export function tokenCommand(terminal: Terminal): Command {
  const command = new Command('token')
    .summary('print a token for one resource')
    .description(
      'Prints a token for one use of one resource, and nothing else, signed with the newest of the platform’s keys or with one from a file.',
    )
    .argument('<url>', 'the resource; a query is not part of what the token is for')
    .option('--key <file>', 'a private key as a JWK, with kid and alg')
    .addHelpText(
      'after',
      '\nExample: curl -s -H "Authorization: Bearer $(holdfast token $URL)" $URL',
    )
  return addSettingFlags(command, [...databaseSettings, 'subdomain']).action(
    async (url: string, { key, ...flags }: Flags) => {
      if (!URL.canParse(url)) throw new CommandError(2, 'the resource must be a whole URL')
      const settings = settingsOf('demo', flags, terminal)
      const signer = key === undefined ? await newestKey(settings, terminal) : keyOf(key)
      const { openSigner } = await import('../client/sign.ts')
      const [resource = url] = url.split(/[?#]/, 1)
      const token = await openSigner(
        signer,
        settings.subdomain ?? '',
      )(resource).catch(() => {
        throw new CommandError(2, `the key${key ? ` in ${key}` : ''} cannot sign`)
      })
      terminal.out(`${token}\n`)
    },
  )
}

async function newestKey(
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  terminal: Terminal,
): Promise<SigningKey> {
  await prepareDatabase(settings, false, terminal)
  const { openSigningKeyStore } = await import('../storage/open.ts')
  const store = await openSigningKeyStore(settings.database, databaseOptions(settings))
  try {
    const key = (await store.list()).find(({ retired }) => retired === undefined)
    if (key) return { ...key.privateKey, kid: key.id, alg: key.algorithm }
    throw new CommandError(1, 'there is no signing key yet: make one with holdfast keys add')
  } finally {
    await store.close()
  }
}

function keyOf(file: string): SigningKey {
  const key = { ...(parsed(file) as Partial<SigningKey> | null) }
  const { kid, alg } = key
  if (typeof kid === 'string' && typeof alg === 'string') return { ...key, kid, alg }
  throw new CommandError(2, `${file} must hold a JWK with a kid and an alg`)
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new CommandError(2, `${file} is not a file with a JWK in it`)
  }
}
