import type { ComponentChildren } from 'preact'
import { toLabel } from '../../contract/labels.ts'
import { enterPlace, findMeasure, formatValue, type Place } from '../../contract/product-values.ts'
import { Time } from './time.tsx'

/** A value of a product in words. It may be any JSON, valid or not. */
export function ProductValue({ place, value }: { readonly place: Place; readonly value: unknown }) {
  if (Array.isArray(value)) {
    if (value.length === 0) return <span class="muted">none</span>
    return (
      <ul class="values">
        {value.map((item, index) => (
          <li key={index}>
            <ProductValue place={enterPlace(place, value, index)} value={item} />
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
              <ProductValue place={enterPlace(place, value, field)} value={item} />
            </dd>
          </div>
        ))}
      </dl>
    )
  }
  return <>{formatScalar(place, value)}</>
}

function formatScalar(place: Place, value: unknown): ComponentChildren {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value !== 'string') return String(value)
  if (value === '') return <span class="muted">empty</span>
  if (findMeasure(place) === 'dateTime') return <Time value={value} />
  return formatValue(place, value) ?? <SafeLink text={value} />
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
