import type { ComponentChildren } from 'preact'
import { isObject } from '../../contract/schema.ts'
import { findType, toLabel } from '../labels.ts'
import { formatText, ProductValue, SafeLink } from './product-value.tsx'
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
            <Content name={field} value={value} />
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

/** The elements of a list as items, another value in words. */
function Content({ name, value }: { readonly name: string; readonly value: unknown }) {
  if (!Array.isArray(value)) return <ProductValue name={name} value={value} />
  return (
    <ul class="items">
      {value.map((item, index) => (
        <li key={index}>
          {isObject(item) ? <Item item={item} /> : <ProductValue name={name} value={item} />}
        </li>
      ))}
    </ul>
  )
}

function Item({ item }: { readonly item: Fields }) {
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
                <Content name={field} value={value} />
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
  const amount = isObject(fixed) ? readText(fixed, 'amount') : undefined
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

function readText(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
