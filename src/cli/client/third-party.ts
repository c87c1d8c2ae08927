import { escapeInvisible } from '../../contract/characters.ts'
import { consentScopes } from '../../platform/consent/scopes.ts'
import type { Profile, ThirdParty } from '../../platform/consent/store.ts'
import {
  findKeyUrlProblem,
  findRecipientBaseUriProblem,
  findRedirectUriProblem,
  readKeySet,
} from '../../platform/consent/third-party-rules.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { readNow, type StoreFlags, withStore } from '../common/database.ts'
import { readJwkFile } from '../common/jwk-file.ts'

export interface ThirdPartyFlags {
  readonly redirectUri?: readonly string[]
  readonly jwks?: string
  readonly profile?: Profile
  readonly recipientBaseUri?: string
}

/** Registers a third party and prints its ID. It has no secret: it signs with its own keys. */
export async function addThirdParty(
  name: string,
  scopeNames: readonly string[],
  flags: StoreFlags & ThirdPartyFlags,
  terminal: Terminal,
): Promise<void> {
  const { redirectUri = [], jwks, profile = 'plain', recipientBaseUri } = flags
  const problem = findRedirectUriProblem(redirectUri)
  if (problem !== undefined) throw new CommandError(2, `--redirect-uri: ${problem}`)
  const baseProblem = recipientBaseUri && findRecipientBaseUriProblem(recipientBaseUri)
  if (baseProblem) throw new CommandError(2, `--recipient-base-uri ${baseProblem}`)
  const thirdParty = {
    id: crypto.randomUUID(),
    name,
    profile,
    redirectUris: redirectUri,
    scopes: selectScopes(scopeNames),
    keys: await readKeys(jwks),
    recipientBaseUri,
  }
  await withStore('openConsentStore', { ...flags, create: true }, terminal, async (store) =>
    store.thirdParties.add({ ...thirdParty, created: await readNow(store) }),
  )
  terminal.out(`client_id: ${thirdParty.id}\n`)
}

export function formatThirdParty(thirdParty: ThirdParty): string {
  const { id, name, profile, redirectUris, scopes, created, recipientBaseUri } = thirdParty
  const informed = recipientBaseUri === undefined ? '' : `, informed at ${recipientBaseUri}`
  return `${id}  ${scopes.join(' ')}  created ${created}, profile ${profile}, redirects to ${redirectUris.join(' ')}${informed}  ${escapeInvisible(name)}\n`
}

function selectScopes(names: readonly string[]): string[] {
  const selected = consentScopes.filter((scope) => names.includes(scope))
  if (selected.length > 0 && names.every((name) => consentScopes.includes(name))) return selected
  throw new CommandError(
    2,
    `--scope of a third party must be one or more of ${consentScopes.join(', ')}`,
  )
}

async function readKeys(jwks: string | undefined): Promise<ThirdParty['keys']> {
  if (jwks === undefined) throw new CommandError(2, '--jwks is required with --redirect-uri')
  if (/^https?:/i.test(jwks)) {
    const problem = findKeyUrlProblem(jwks)
    if (problem !== undefined) throw new CommandError(2, `--jwks ${problem}`)
    return { jwksUrl: jwks }
  }
  const value = await readJwkFile(jwks)
  try {
    return { jwks: readKeySet(value) }
  } catch (error) {
    throw new CommandError(2, `${jwks} ${(error as Error).message}`)
  }
}
