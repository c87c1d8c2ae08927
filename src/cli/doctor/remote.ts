const timeoutMs = 5000

/** User information and a query may contain secrets. */
export function describeUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

/** Sends a GET request without following redirects. Any status is a response. */
export async function request(url: string): Promise<Response | { readonly failure: string }> {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { redirect: 'manual', signal })
    await response.body?.cancel()
    return response
  } catch (error) {
    const { cause, message } = error as Error
    const { code } = (cause ?? {}) as NodeJS.ErrnoException
    return { failure: code ?? message }
  }
}
