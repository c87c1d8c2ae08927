/** Text in which every value was escaped. */
export interface Html {
  readonly html: string
}

type Value = Html | string | number | readonly Html[] | false | undefined

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes the values in a template, except for those that are templates themselves. False and undefined are empty. */
export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  const parts = strings.map((text, index) => text + toText(values[index]))
  return { html: parts.join('') }
}

function toText(value: Value): string {
  if (value === undefined || value === false) return ''
  if (typeof value === 'object') return 'html' in value ? value.html : value.map(toText).join('')
  return String(value).replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '')
}
