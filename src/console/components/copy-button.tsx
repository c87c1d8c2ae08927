import { useState } from 'preact/hooks'

/** Copies a text that is longer than the page shows. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  return (
    <button type="button" class="secondary" onClick={copy}>
      {isCopied ? 'Copied' : label}
    </button>
  )
}
