import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportJWK, generateKeyPair } from 'jose'
import * as openid from 'openid-client'
import type { Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runInProcess } from '../support/process.ts'
import { redirectUri } from './addresses.ts'

/** Registers a third party with the command, with keys in a file. */
export async function registerWithCommand(
  scope: Scope,
  database: string,
  ...flags: readonly string[]
) {
  const keys = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', use: 'sig' }
  const file = join(await temporaryFolder(scope), 'keys.json')
  writeFileSync(file, JSON.stringify({ keys: [jwk] }))
  const { stdout } = await runInProcess([
    'client',
    'add',
    'Example Budget',
    '--redirect-uri',
    redirectUri,
    '--jwks',
    file,
    '--scope',
    'openid,email,bank:accounts.basic:read',
    '--database',
    database,
    ...flags,
  ])
  const [, id = ''] = /^client_id: (\S+)$/m.exec(stdout) ?? []
  const auth = openid.PrivateKeyJwt({ key: keys.privateKey as CryptoKey, kid: 'k1' })
  return { id, auth, privateJwk: await exportJWK(keys.privateKey) }
}
