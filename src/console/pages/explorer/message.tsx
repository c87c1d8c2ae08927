import { indentJson } from './indent-json.ts'

/** More text would make the page slow. The whole response can be copied. */
const shownLengthMax = 50_000

/** A request or a response: a line and headers, and the body with line breaks. */
export function Message({
  text,
  body = '',
  label,
}: {
  readonly text: string
  readonly body?: string | undefined
  readonly label: string
}) {
  const indented = indentJson(body)
  const shown = indented.slice(0, shownLengthMax)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: text that scrolls must be reachable by keyboard */}
      <section class="message" tabIndex={0} aria-label={label}>
        <pre>
          {text}
          {shown && `\n\n${shown}`}
        </pre>
      </section>
      {shown.length < indented.length && (
        <p class="muted">Only the beginning is shown. Copy it to see the rest.</p>
      )}
    </>
  )
}
