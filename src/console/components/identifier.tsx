import { useState } from 'preact/hooks'
import { LinkButton, SecondaryButton } from './button.tsx'

const lengthMax = 20

/** An id: monospaced, truncated in the middle, with a button that copies it. */
export function Identifier({ value }: { readonly value: string }) {
  const { isCopied, copy } = useCopy(value)
  return (
    <span class="identifier">
      <code title={value}>{truncate(value)}</code>
      <LinkButton onClick={copy} aria-label={`Copy ${value}`}>
        {isCopied ? 'Copied' : 'Copy'}
      </LinkButton>
    </span>
  )
}

function truncate(value: string): string {
  const characters = [...value]
  if (characters.length <= lengthMax) return value
  const half = (lengthMax - 2) / 2
  return `${characters.slice(0, half).join('')}…${characters.slice(-half).join('')}`
}

/** Copies a text that is longer than the page shows. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: string }) {
  const { isCopied, copy } = useCopy(text)
  return <SecondaryButton onClick={copy}>{isCopied ? 'Copied' : label}</SecondaryButton>
}

function useCopy(text: string) {
  const [isCopied, setCopied] = useState(false)
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  return { isCopied, copy }
}
