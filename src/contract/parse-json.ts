/** The value of a JSON text; undefined if it is not JSON. The error of the parser is not used: it quotes the text. */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The text of UTF-8 bytes; undefined if they are not UTF-8, where a lenient decoder would replace characters. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
