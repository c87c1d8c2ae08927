import type { ComponentChildren } from 'preact'
import { findType, toLabel } from '../../contract/labels.ts'
import { enterPlace, formatValue, type Place, productPlace } from '../../contract/product-values.ts'
import { isObject } from '../../contract/schema.ts'
import { ProductValue, SafeLink } from './product-value.tsx'
import { Time } from './time.tsx'

type Fields = Readonly<Record<string, unknown>>

const sections = {
  deposit_rates: 'Interest you earn',
  lending_rates: 'Interest you pay',
  fees: 'Fees',
  features: 'Features',
  eligibility: 'Who can apply',
  constraints: 'Limits',
  bundles: 'Bundles',
  card_art: 'Cards',
  instalments: 'Instalments',
  additional_information: 'More information',
}

/** Shown in other words, or of no interest to a customer. */
const hidden = new Set([
  'name',
  'description',
  'additional_info',
  'additional_info_uri',
  'additional_value',
  'rate',
  'currency',
  'fixed_amount',
  'fee_method_u_type',
  'discount_method_u_type',
  // The older structure of discounts, in addition to the newer one.
  'accrued_rate',
  'amount',
  'balance_rate',
  'fee_rate',
  'transaction_rate',
])

/** What a customer would read about a product. It may be incomplete or invalid, as while it is edited. */
export function CustomerView({ product }: { readonly product: Fields }) {
  const category = readText(product, 'product_category')
  return (
    <article class="customer-view">
      <h3>{readText(product, 'name') ?? 'Unnamed product'}</h3>
      <p class="muted">
        {[
          readText(product, 'brand_name') ?? readText(product, 'brand'),
          category && toLabel(category),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {readText(product, 'description') && <p>{readText(product, 'description')}</p>}
      <Availability product={product} />
      {Object.entries(sections).map(([field, title]) => {
        const value = product[field]
        if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
          return null
        return (
          <section key={field}>
            <h4>{title}</h4>
            <Content place={enterPlace(productPlace, product, field)} value={value} />
          </section>
        )
      })}
    </article>
  )
}

function Availability({ product }: { readonly product: Fields }) {
  const from = readText(product, 'effective_from')
  const to = readText(product, 'effective_to')
  const isOver = to !== undefined && Date.parse(to) <= Date.now()
  const apply = readText(product, 'application_uri')
  return (
    <>
      {(from !== undefined || to !== undefined) && (
        <p>
          {isOver ? 'Was available' : 'Available'}
          {from !== undefined && (
            <>
              {' from '}
              <Time value={from} />
            </>
          )}
          {to !== undefined && (
            <>
              {' until '}
              <Time value={to} />
            </>
          )}
        </p>
      )}
      {product['is_tailored'] === true && <p>Tailored to each customer.</p>}
      {apply !== undefined && (
        <p>
          Apply at <SafeLink text={apply} />
        </p>
      )}
    </>
  )
}

/** The elements of a list as items, another value in words. */
function Content({ place, value }: { readonly place: Place; readonly value: unknown }) {
  if (!Array.isArray(value)) return <ProductValue place={place} value={value} />
  return (
    <ul class="items">
      {value.map((item, index) => {
        const at = enterPlace(place, value, index)
        return (
          <li key={index}>
            {isObject(item) ? (
              <Item place={at} item={item} />
            ) : (
              <ProductValue place={at} value={item} />
            )}
          </li>
        )
      })}
    </ul>
  )
}

function Item({ place, item }: { readonly place: Place; readonly item: Fields }) {
  const type = findType(item)
  const name = readText(item, 'name')
  const label = type && toLabel(type.value)
  const rest = Object.entries(item).filter(([field]) => !hidden.has(field) && field !== type?.name)
  const texts = ['description', 'additional_info'].flatMap((field) => readText(item, field) ?? [])
  const link = readText(item, 'additional_info_uri')
  return (
    <>
      <strong>{name ?? label ?? 'Not specified'}</strong>
      {name !== undefined && label !== undefined && name !== label && (
        <span class="muted"> {label}</span>
      )}
      <Amounts place={place} item={item} />
      {texts.map((text, index) => (
        <p key={index}>{text}</p>
      ))}
      {link && (
        <p>
          <SafeLink text={link} />
        </p>
      )}
      {rest.length > 0 && (
        <dl class="values">
          {rest.map(([field, value]) => (
            <div key={field} class={Array.isArray(value) ? 'nested' : undefined}>
              <dt>{toLabel(field)}</dt>
              <dd>
                <Content place={enterPlace(place, item, field)} value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

/** The rate, the amount and the value that belongs to the type, beside the name. */
function Amounts({
  place,
  item,
}: {
  readonly place: Place
  readonly item: Fields
}): ComponentChildren {
  const fixed = item['fixed_amount']
  const parts = [
    describe(place, item, 'rate'),
    isObject(fixed) && describe(enterPlace(place, item, 'fixed_amount'), fixed, 'amount'),
    describe(place, item, 'additional_value'),
  ].filter((part) => typeof part === 'string')
  return parts.map((part, index) => (
    <span key={index} class="number item-amount">
      {part}
    </span>
  ))
}

function describe(place: Place, item: Fields, name: string): string | undefined {
  const text = readText(item, name)
  return text && (formatValue(enterPlace(place, item, name), text) ?? text)
}

function readText(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
