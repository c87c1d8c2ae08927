import { toFieldId } from './paths.ts'

const controls = 'input, select, textarea'

/** Moves the focus to an element, and opens what is collapsed around it. */
function focus(element: HTMLElement): void {
  for (let at = element.closest('details'); at; at = at.parentElement?.closest('details') ?? null) {
    at.open = true
  }
  element.focus()
  element.scrollIntoView({ block: 'center' })
}

/** Moves the focus to a control, or to the first one of a container. */
export function focusFirstControl(id: string): void {
  const element = document.getElementById(id)
  const isControl = element?.matches(controls)
  const control = isControl ? element : element?.querySelector<HTMLElement>(controls)
  if (element) focus(control ?? element)
}

/** Moves the focus to the field of a problem, or to what it is in if the field itself is not shown. */
export function focusField(path: string): void {
  for (let at = path; at !== ''; at = at.replace(/(\.?\w+|\[\d+\]|[^\w[\].]+)$/, '')) {
    const element = document.getElementById(toFieldId(at))
    if (!element) continue
    focus(element)
    return
  }
}
