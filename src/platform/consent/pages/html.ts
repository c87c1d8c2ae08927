/** Text in which every value was escaped. A class: no value from JSON is one. */
class EscapedHtml {
  readonly html: string

  constructor(html: string) {
    this.html = html
  }
}
export type Html = EscapedHtml

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
  return new EscapedHtml(parts.join(''))
}

function toText(value: Value): string {
  if (value === undefined || value === false) return ''
  if (value instanceof EscapedHtml) return value.html
  if (Array.isArray(value)) return value.map(toText).join('')
  return String(value).replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '')
}
