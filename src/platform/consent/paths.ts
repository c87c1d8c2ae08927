/** The paths of the consent role for third parties, below the path of the issuer. */
export const openidPaths = {
  authorization: '/oidc/authorize',
  introspection: '/oidc/introspect',
  jwks: '/oidc/jwks',
  pushed_authorization_request: '/oidc/par',
  revocation: '/oidc/revoke',
  token: '/oidc/token',
  userinfo: '/oidc/userinfo',
} as const

/** OpenID Connect Discovery and RFC 8414. */
export const metadataPaths = [
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
] as const

/** The arrangement revocation endpoint of the Consumer Data Standards. Third parties have one at the same path. */
export const revocationPath = '/arrangements/revoke'
