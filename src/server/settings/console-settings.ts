import { parseAccessRules } from '../../platform/sign-in/access-rules.ts'
import type { Definitions } from './definition.ts'
import { isProtected, isWebUrl } from './value-rules.ts'
import { path } from './value-types.ts'

/** The settings of the identity provider at which people sign in to the console. */
export const consoleDefinitions = {
  consoleIssuer: {
    about:
      'the issuer of the identity provider at which people sign in to the console with OpenID Connect; without it, they sign in as API clients alone',
    placeholder: 'url',
    mustBe:
      'an https URL without credentials and query, or an http URL of this host; HOLDFAST_PUBLIC_URL must be such a URL too',
    read: (text, { publicUrl }) =>
      isWebUrl(text) &&
      isProtected(text) &&
      !/[?#@]/.test(text) &&
      (publicUrl === undefined || isProtected(publicUrl))
        ? text
        : undefined,
  },
  consoleClientId: {
    about: 'the client ID of the platform at the identity provider',
    placeholder: 'id',
    mustBe: '1 to 256 printable ASCII characters',
    read: (text) => (/^[!-~]{1,256}$/.test(text) ? text : undefined),
    requiredWith: ['consoleIssuer'],
  },
  consoleClientSecretFile: {
    about: 'a file with the client secret of the platform at the identity provider',
    ...path('the path of a file'),
    requiredWith: ['consoleIssuer'],
  },
  consoleClaim: {
    about:
      'the claim of the ID token or of UserInfo, a text or a list of texts, whose values give people their scopes',
    placeholder: 'name',
    mustBe: '1 to 256 printable ASCII characters',
    read: (text) => (/^[!-~]{1,256}$/.test(text) ? text : undefined),
    defaults: { platform: 'groups' },
  },
  consoleScopes: {
    about:
      'the values of the claim that give each scope of the console, such as products.write=pricing,marketing;operations.read=operators',
    placeholder: 'rules',
    mustBe:
      'SCOPE=VALUE,VALUE;SCOPE=VALUE with scopes other than data.write; in a value, commas, semicolons and percent signs are percent-encoded',
    read: (text) => (parseAccessRules(text) ? text : undefined),
    requiredWith: ['consoleIssuer'],
  },
} satisfies Definitions
