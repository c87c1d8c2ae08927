const controls = 'input, select, textarea'

/** Opens what is collapsed around an element. */
function reveal(element: Element): void {
  for (let at = element.closest('details'); at; at = at.parentElement?.closest('details') ?? null) {
    at.open = true
  }
}

/** Moves the focus to a control, or to the first one of a container. */
export function focusFirstControl(id: string): void {
  const element = document.getElementById(id)
  if (!element) return
  reveal(element)
  const target = element.matches(controls)
    ? element
    : (element.querySelector<HTMLElement>(controls) ?? element)
  target.focus()
  target.scrollIntoView({ block: 'center' })
}

/** Moves the focus to the field of a problem, or to what it is in if the field itself is not shown. */
export function focusField(path: string, toId: (path: string) => string): void {
  for (let at = path; at !== ''; at = at.replace(/(\.?\w+|\[\d+\]|[^\w[\].]+)$/, '')) {
    const element = document.getElementById(toId(at))
    if (!element) continue
    reveal(element)
    element.focus()
    element.scrollIntoView({ block: 'center' })
    return
  }
}
