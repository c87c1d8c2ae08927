import type { SigningKeyStore } from '../auth/signing-key-store.ts'
import type { ConsentMount, Logo } from '../http/consent-app.ts'
import type { ConsentOptions } from '../platform/consent/consent.ts'
import type { ConsentStore } from '../platform/consent/store.ts'
import { readFont } from './console-files.ts'
import { readSettingFile } from './setting-file.ts'
import type { Settings } from './settings/settings.ts'
import type { Telemetry } from './telemetry.ts'
import { CommandError } from './terminal.ts'

/** What a demonstration replaces. */
export type ConsentParts = Partial<
  Pick<ConsentOptions, 'deliverPasscode' | 'showPasscode' | 'fetch' | 'isDemo'>
> & { readonly logo?: Logo }

export type ConsentRoleParts = ConsentParts & Pick<ConsentOptions, 'clock' | 'recordDisclosure'>

/** The settings that a platform has if it has an issuer. */
export type ConsentSettings = Partial<Settings> &
  Pick<
    Settings,
    | 'providerUrl'
    | 'subdomain'
    | 'brandName'
    | 'brandColour'
    | 'passcodesPerMinute'
    | 'wrongPasscodesPerMinute'
    | 'recordYears'
  > & { readonly issuer: string }

/** Opens the consent role. It is loaded only if an issuer is set: it doubles the code of the platform. */
export async function openConsentRole(
  settings: ConsentSettings,
  store: ConsentStore,
  signingKeys: SigningKeyStore,
  { log, metrics }: Pick<Telemetry, 'log' | 'metrics'>,
  { logo: replacedLogo, ...parts }: ConsentRoleParts,
): Promise<ConsentMount> {
  const { openConsent } = await withoutRuntimeWarning(
    () => import('../platform/consent/consent.ts'),
  )
  const { isOutage } = await import('../platform/consent/outage.ts')
  const { createAssets, createConsentMount } = await import('../http/consent-app.ts')
  const { createPasscodeDelivery } = await import('../platform/consent/deliver-passcode.ts')
  const { createMessagePost } = await import('../platform/consent/post-message.ts')
  const { readTrustedProxies } = await import('../http/caller-address.ts')
  const { readBasePath } = await import('../platform/consent/issuer-path.ts')
  const { issuer, brandName, brandColour, brandLogo, passcodeUrl = '', subdomain } = settings
  const onError = (error: Error): void =>
    log[isOutage(error.cause) ? 'warn' : 'error']({ err: error }, 'consent failed')
  const { stylesheet, icon, logo, font } = createAssets(
    readBasePath(issuer),
    brandColour,
    brandLogo === undefined ? replacedLogo : readLogo(brandLogo),
    readFont(),
  )
  const consent = await openConsent({
    issuer,
    providerUrl: settings.providerUrl,
    subdomain,
    store,
    signingKeys,
    binding: settings.tlsCert === undefined ? 'dpop' : 'mtls',
    thirdPartyLimits: settings.thirdPartyLimits,
    passcodesPerMinute: settings.passcodesPerMinute,
    wrongPasscodesPerMinute: settings.wrongPasscodesPerMinute,
    metrics,
    requiresAuthority: settings.tlsClientCa !== undefined,
    brand: {
      name: brandName,
      logo: logo?.path,
      stylesheet: stylesheet.path,
      icon: icon.path,
      timeZone: settings.timeZone ?? 'UTC',
    },
    deliverPasscode: createPasscodeDelivery({
      post: createMessagePost({ url: passcodeUrl, subdomain, signingKeys }),
      brandName,
      onError,
    }),
    onError,
    ...parts,
  })
  return createConsentMount(consent, {
    assets: [stylesheet, icon, ...[logo, font].filter((asset) => asset !== undefined)],
    trustedProxies: readTrustedProxies(settings.trustedProxies ?? ''),
  })
}

/** When it is loaded, the OpenID provider warns of any Node release that is not marked as LTS. The tests run on it. */
async function withoutRuntimeWarning<Result>(load: () => Promise<Result>): Promise<Result> {
  const { warn } = console
  console.warn = (...args: unknown[]) => {
    if (!String(args[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...args)
  }
  try {
    return await load()
  } finally {
    console.warn = warn
  }
}

const logoBytesMax = 256 * 1024

function readLogo(file: string): Logo {
  const extension = /\.(png|svg)$/i.exec(file)?.[1]?.toLowerCase()
  if (extension === undefined)
    throw new CommandError(2, `--brand-logo: ${file} must be a .png or .svg file`)
  const type = extension === 'png' ? 'image/png' : 'image/svg+xml'
  return { type, extension, content: readSettingFile('brandLogo', file, logoBytesMax) }
}
