import type { Copy } from '../driver/copy.ts'

/** How many characters of rows are sent at once. */
const chunkLength = 1024 * 1024

export type CopyValue = string | number | bigint | boolean | undefined

/**
 * Copies rows into tables. A chunk is sent while the next ones are encoded; a caller that encodes faster than the database
 * receives has to wait. Until `finish` or `discard` resolves, the caller sends no other statement on the connection.
 */
export function openCopyEncoder(openCopy: (statement: string) => Copy) {
  const texts = new Map<string, string>()
  let copied: { readonly table: string; readonly copy: Copy } | undefined
  let sending: Promise<void> = Promise.resolve()
  let failure: unknown

  const send = async (table: string, text: string): Promise<void> => {
    texts.delete(table)
    await allSent()
    if (copied?.table !== table) {
      await end()
      copied = { table, copy: openCopy(`copy ${table} from stdin`) }
    }
    sending = copied.copy.write(Buffer.from(text)).catch((error: unknown) => {
      failure = error
    })
  }
  const allSent = async (): Promise<void> => {
    await sending
    if (failure !== undefined) throw failure
  }
  const end = async (): Promise<void> => {
    const last = copied?.copy
    copied = undefined
    await last?.end()
  }

  return {
    /** Adds a row with this many columns. Values at the end may be missing. */
    add(table: string, columns: number, values: readonly CopyValue[]): void {
      let text = texts.get(table) ?? ''
      for (let index = 0; index < columns; index += 1) {
        if (index > 0) text += '\t'
        text += encode(values[index])
      }
      texts.set(table, `${text}\n`)
    },

    isAnyFull(): boolean {
      for (const text of texts.values()) if (text.length >= chunkLength) return true
      return false
    },

    async advance(): Promise<void> {
      for (const [table, text] of texts) if (text.length >= chunkLength) await send(table, text)
    },

    /** Sends the rest. When it resolves, every copy has ended (`Copy.end`). */
    async finish(): Promise<void> {
      for (const [table, text] of texts) await send(table, text)
      await allSent()
      await end()
    },

    async discard(): Promise<void> {
      texts.clear()
      await allSent()
      await end()
    },
  }
}

const special = /[\\\t\n\r]/
const specials = /[\\\t\n\r]/g
const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
}

/** A value in PostgreSQL's text format. */
function encode(value: CopyValue): string {
  if (value === undefined) return '\\N'
  if (typeof value !== 'string') return String(value)
  return special.test(value) ? value.replace(specials, (found) => escapes[found] ?? found) : value
}
