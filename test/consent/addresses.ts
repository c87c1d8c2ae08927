export const issuer = 'https://platform.example'
export const redirectUri = 'https://budget.example/callback'

export function cdsUrl(path: string): URL {
  return new URL(`${issuer}/cds-au/v1${path}`)
}
