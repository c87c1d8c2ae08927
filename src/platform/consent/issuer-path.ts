/** The path that all paths of an issuer begin with; empty for a host of its own. */
export function readBasePath(issuer: string): string {
  return new URL(issuer).pathname.replace(/\/$/, '')
}
