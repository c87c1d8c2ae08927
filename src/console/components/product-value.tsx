import type { ComponentChildren } from 'preact'
import { formatDuration, formatPercent, toLabel } from '../labels.ts'
import { groupDigits } from './money.tsx'
import { Time } from './time.tsx'

/** Fields whose values are enumerated, so that they have labels. */
const enumerated = /(_type|_category|_purpose|_due|_method|_scheme|^change|unit_of_measure)$/
const rates = /(^|_)rate$/
const amounts = /(^|_)(amount|cap|limit|maximum|minimum|maximum_value|minimum_value|plan_value)$/
const times = /^(effective_(from|to)|last_updated)$/

/** A value of a product in words, by the name of its field. It may be any JSON, valid or not. */
export function ProductValue({ name, value }: { readonly name: string; readonly value: unknown }) {
  if (Array.isArray(value)) {
    if (value.length === 0) return <span class="muted">none</span>
    return (
      <ul class="values">
        {value.map((item, index) => (
          <li key={index}>
            <ProductValue name={name} value={item} />
          </li>
        ))}
      </ul>
    )
  }
  if (typeof value === 'object' && value !== null) {
    return (
      <dl class="values">
        {Object.entries(value).map(([field, item]) => (
          <div key={field}>
            <dt>{toLabel(field)}</dt>
            <dd>
              <ProductValue name={field} value={item} />
            </dd>
          </div>
        ))}
      </dl>
    )
  }
  return <>{formatScalar(name, value)}</>
}

function formatScalar(name: string, value: unknown): ComponentChildren {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value !== 'string') return String(value)
  if (value === '') return <span class="muted">empty</span>
  if (times.test(name)) return <Time value={value} />
  return formatText(name, value) ?? <SafeLink text={value} />
}

/** Undefined if the text is shown as it is. */
export function formatText(name: string, text: string): string | undefined {
  if (enumerated.test(name) && /^\w+$/.test(text)) return toLabel(text)
  if (rates.test(name)) return formatPercent(text)
  if (amounts.test(name)) return groupDigits(text)
  return formatDuration(text) ?? (/^\d{4,}\.\d\d$/.test(text) ? groupDigits(text) : undefined)
}

/** A text from data is a link only if it is the address of a web page. */
export function SafeLink({ text }: { readonly text: string }) {
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return <>{text}</>
  return (
    <a href={text} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  )
}
