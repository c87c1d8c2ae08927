import type { ComponentChildren } from 'preact'
import { toLabel } from '../labels.ts'
import { formatText, ProductValue, SafeLink } from './product-value.tsx'
import { Time } from './time.tsx'

type Fields = Readonly<Record<string, unknown>>

const lists = [
  ['deposit_rates', 'Interest you earn'],
  ['lending_rates', 'Interest you pay'],
  ['fees', 'Fees'],
  ['features', 'Features'],
  ['eligibility', 'Who can apply'],
  ['constraints', 'Limits'],
  ['bundles', 'Bundles'],
  ['card_art', 'Cards'],
] as const

const records = [
  ['instalments', 'Instalments'],
  ['additional_information', 'More information'],
] as const

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

/** The fields that say what an element of a list is. */
const types = new Set([
  'card_type',
  'constraint_type',
  'deposit_rate_type',
  'discount_eligibility_type',
  'discount_type',
  'eligibility_type',
  'feature_type',
  'fee_type',
  'lending_rate_type',
  'rate_applicability_type',
])

/** What a customer would read about a product. It may be incomplete or invalid, as while it is edited. */
export function CustomerView({ product }: { readonly product: Fields }) {
  return (
    <article class="customer-view">
      <h3>{readText(product, 'name') ?? 'Unnamed product'}</h3>
      <p class="muted">
        {[readText(product, 'brand_name') ?? readText(product, 'brand'), describeCategory(product)]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {readText(product, 'description') && <p>{readText(product, 'description')}</p>}
      <Availability product={product} />
      {lists.map(([field, title]) => {
        const items = product[field]
        if (!Array.isArray(items) || items.length === 0) return undefined
        return (
          <section key={field}>
            <h4>{title}</h4>
            <Items name={field} items={items} />
          </section>
        )
      })}
      {records.map(([field, title]) => {
        const value = product[field]
        if (!isFields(value) || Object.keys(value).length === 0) return undefined
        return (
          <section key={field}>
            <h4>{title}</h4>
            <ProductValue name={field} value={value} />
          </section>
        )
      })}
    </article>
  )
}

function Availability({ product }: { readonly product: Fields }) {
  const from = readText(product, 'effective_from')
  const to = readText(product, 'effective_to')
  const apply = readText(product, 'application_uri')
  return (
    <>
      {(from !== undefined || to !== undefined) && (
        <p>
          Available
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

function Items({ name, items }: { readonly name: string; readonly items: readonly unknown[] }) {
  return (
    <ul class="items">
      {items.map((item, index) => (
        <li key={index}>
          {isFields(item) ? <Item item={item} /> : <ProductValue name={name} value={item} />}
        </li>
      ))}
    </ul>
  )
}

function Item({ item }: { readonly item: Fields }) {
  const type = Object.keys(item).find((field) => types.has(field))
  const kind = type === undefined ? undefined : readText(item, type)
  const name = readText(item, 'name')
  const label = kind === undefined ? undefined : toLabel(kind)
  const rest = Object.entries(item).filter(([field]) => !hidden.has(field) && field !== type)
  const texts = ['description', 'additional_info'].flatMap((field) => readText(item, field) ?? [])
  const link = readText(item, 'additional_info_uri')
  return (
    <>
      <strong>{name ?? label ?? 'Not specified'}</strong>
      {name !== undefined && label !== undefined && name !== label && (
        <span class="muted"> {label}</span>
      )}
      <Amounts item={item} />
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
                {Array.isArray(value) ? (
                  <Items name={field} items={value} />
                ) : (
                  <ProductValue name={field} value={value} />
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}

/** The rate, the amount and the value that belongs to the type, beside the name. */
function Amounts({ item }: { readonly item: Fields }): ComponentChildren {
  const rate = readText(item, 'rate')
  const fixed = item['fixed_amount']
  const amount = isFields(fixed) ? readText(fixed, 'amount') : undefined
  const value = readText(item, 'additional_value')
  const parts = [
    rate !== undefined && (formatText('rate', rate) ?? rate),
    amount !== undefined &&
      `${formatText('amount', amount) ?? amount} ${readText(item, 'currency') ?? 'AUD'}`,
    value && (formatText('additional_value', value) ?? value),
  ].filter((part) => typeof part === 'string')
  return parts.map((part, index) => (
    <span key={index} class="number item-amount">
      {part}
    </span>
  ))
}

function describeCategory(product: Fields): string | undefined {
  const category = readText(product, 'product_category')
  return category && toLabel(category)
}

function readText(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
