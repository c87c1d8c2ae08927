import type { Command } from 'commander'
import { findNewestKey, toPrivateJwk } from '../../auth/signing-key-store.ts'
import type { SigningKey } from '../../client/sign.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { prepareDatabase, useStore } from './database.ts'
import { readJwkFile } from './jwk-file.ts'
import type { CommandSettings } from './setting-flags.ts'

/** For a command that signs tokens. */
export function addKeyFlag(command: Command): Command {
  return command.option(
    '--key <file>',
    'sign with this private JWK, as written by holdfast keys export; default: the newest key in the database',
  )
}

/** The key in the file, or the newest signing key of the platform. */
export async function findSigningKey(
  file: string | undefined,
  settings: CommandSettings,
  terminal: Terminal,
): Promise<SigningKey> {
  if (file !== undefined) return readKey(file)
  await prepareDatabase(settings, false, terminal)
  const key = await useStore('openSigningKeyStore', settings, findNewestKey)
  if (key) return toPrivateJwk(key)
  throw new CommandError(1, 'no signing key found: create one with holdfast keys add')
}

/** Signs a single-use token for a resource. Reports a key that cannot sign as invalid usage. */
export async function signToken(
  key: SigningKey,
  file: string | undefined,
  subdomain: string,
  resource: string,
): Promise<string> {
  const { openSigner } = await import('../../client/sign.ts')
  return openSigner(
    key,
    subdomain,
  )(resource).catch(() => {
    throw new CommandError(2, `the key${file ? ` in ${file}` : ''} cannot be used for signing`)
  })
}

async function readKey(file: string): Promise<SigningKey> {
  const key = { ...((await readJwkFile(file)) as Partial<SigningKey> | null) }
  const { kid, alg } = key
  if (typeof kid === 'string' && typeof alg === 'string') return { ...key, kid, alg }
  throw new CommandError(2, `${file} must contain a JWK with kid and alg`)
}
