import { indentJson } from './indent-json.ts'

/** More text would make the page slow. The whole response can be copied. */
const shownLengthMax = 50_000

export interface MessageContent {
  /** The first line. */
  readonly start: string | number
  readonly headers?: readonly { readonly name: string; readonly value: string }[]
  readonly body?: string | undefined
}

/** A request or a response: a line and headers, and the body with line breaks. */
export function Message({
  label,
  start,
  headers = [],
  body = '',
}: MessageContent & { readonly label: string }) {
  const indented = indentJson(body)
  const shown = indented.slice(0, shownLengthMax)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: text that scrolls must be reachable by keyboard */}
      <section class="message" tabIndex={0} aria-label={label}>
        <pre>
          {[start, ...headers.map(({ name, value }) => `${name}: ${value}`)].join('\n')}
          {shown && `\n\n${shown}`}
        </pre>
      </section>
      {shown.length < indented.length && (
        <p class="muted">Only the beginning is shown. Copy it to see the rest.</p>
      )}
    </>
  )
}
