interface CookieOptions {
  readonly path: string
  readonly seconds: number
  readonly isSecure: boolean
  readonly sameSite: 'Lax' | 'Strict'
}

/** A cookie that scripts cannot read and that other sites do not send with their forms. */
export function formatCookie(
  name: string,
  value: string,
  { path, seconds, isSecure, sameSite }: CookieOptions,
): string {
  const secure = isSecure ? '; Secure' : ''
  return `${name}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${secure}`
}

export function readCookie(cookies = '', name: string): string | undefined {
  const found = cookies.split(';').find((cookie) => cookie.trim().startsWith(`${name}=`))
  return found?.trim().slice(name.length + 1)
}
