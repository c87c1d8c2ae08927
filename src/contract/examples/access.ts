import type { TokenForm, TokenRequest, TokenResponse } from '../records/access.ts'
import type { ListedSession, Session } from '../records/session.ts'

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

const person = {
  id: '248289761001',
  name: 'Ana Example',
  issuer: 'https://login.bank.example',
}
const session_id = '6c1d2c3e-0c39-4f0e-9a53-2f5d3f7e8b90'
const expires = '2026-07-01T08:00:00Z'

export const session: Session = {
  session_id,
  user: person,
  scopes: ['products.write'],
  expires,
  csrf_token: 'example-csrf-token',
}

export const listedSession: ListedSession = {
  session_id,
  user: person,
  started: '2026-07-01T00:00:00Z',
  used: '2026-07-01T00:12:00Z',
  expires,
  address: 'private_network',
  is_own: true,
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
