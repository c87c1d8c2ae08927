import { useState } from 'preact/hooks'

const lengthMax = 20

/** An id: monospaced, truncated in the middle, with a button that copies it. */
export function Identifier({ value }: { readonly value: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  return (
    <span class="identifier">
      <code title={value}>{truncate(value)}</code>
      <button type="button" class="link" onClick={copy} aria-label={`Copy ${value}`}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </span>
  )
}

function truncate(value: string): string {
  const characters = [...value]
  if (characters.length <= lengthMax) return value
  const half = (lengthMax - 2) / 2
  return `${characters.slice(0, half).join('')}…${characters.slice(-half).join('')}`
}
