import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from 'preact'

/** A button that does not submit the form it is in. */
export function Button(attributes: ButtonHTMLAttributes) {
  return <button type="button" {...attributes} />
}

export function SecondaryButton(attributes: ButtonHTMLAttributes) {
  return <Button class="secondary" {...attributes} />
}

/** A button that looks like a link. */
export function LinkButton(attributes: ButtonHTMLAttributes) {
  return <Button class="link" {...attributes} />
}

/** A link that looks like a button. */
export function ButtonLink(attributes: AnchorHTMLAttributes) {
  return <a class="button" {...attributes} />
}

export function SecondaryLink(attributes: AnchorHTMLAttributes) {
  return <ButtonLink class="button secondary" {...attributes} />
}
