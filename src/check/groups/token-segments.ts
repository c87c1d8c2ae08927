export interface Segments {
  readonly head: string
  readonly body: string
  readonly tail: string
}

export function segmentsOf(token: string): Segments {
  const [head = '', body = '', tail = ''] = token.split('.')
  return { head, body, tail }
}
