import type { Terminal } from '../../server/terminal.ts'

const chunkLength = 256 * 1024

/** Writes lines to standard output, many at a time. */
export async function writeLines(
  lines: Iterable<string> | AsyncIterable<string>,
  terminal: Terminal,
): Promise<void> {
  let text = ''
  for await (const line of lines) {
    text += `${line}\n`
    if (text.length < chunkLength) continue
    await terminal.write(text)
    text = ''
  }
  await terminal.write(text)
}
