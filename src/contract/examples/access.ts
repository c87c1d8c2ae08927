import type { TokenForm, TokenRequest, TokenResponse } from '../records/access.ts'
import type { Session } from '../records/session.ts'

const credentials = {
  client_id: '0b6f3d0a-5c8e-4f43-9a86-5f0c2f9d6a11',
  client_secret: 'as-it-was-printed-once',
}

export const tokenRequest: TokenRequest = credentials

export const tokenForm: TokenForm = {
  grant_type: 'client_credentials',
  ...credentials,
  scope: 'products.write',
}

export const tokenResponse: TokenResponse = { token: 'example-token', expires_in: 900 }

export const session: Session = {
  client_id: credentials.client_id,
  client_name: 'pricing team',
  scopes: ['products.write'],
  expires: '2026-07-01T08:00:00Z',
  csrf_token: 'example-csrf-token',
}

export const publicKey = {
  kty: 'EC',
  kid: '2025-02-01-Zt3uQm8Yw2aB',
  alg: 'ES256',
  use: 'sig',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
}
