import { useState } from 'preact/hooks'
import { ProductInput } from '../../../../contract/records/product.ts'
import { asNode, isObject } from '../../../../contract/schema.ts'
import type { Editor } from './editor.ts'
import { ListField } from './list-field.tsx'
import { toFieldId } from './paths.ts'
import { nameElement, sections } from './presentation.ts'
import { countProblems, formatErrors, Problems } from './problems.tsx'
import { RecordFields } from './record-fields.tsx'
import { UnknownFields } from './unknown-fields.tsx'

const product = asNode(ProductInput)
/** Amounts without a currency of their own, as the interface defines them. */
const currency = 'AUD'

/** The form of a product: a section for each kind of content, derived from the contract. */
export function ProductForm({ editor }: { readonly editor: Editor }) {
  return (
    <>
      {sections.map((section) => (
        <Section key={section.title} editor={editor} {...section} />
      ))}
      <UnknownFields editor={editor} node={product} path={[]} value={editor.product.value} />
    </>
  )
}

function Section({
  editor,
  title,
  fields,
}: {
  readonly editor: Editor
  readonly title: string
  readonly fields: readonly string[]
}) {
  const errors = fields.reduce((count, field) => count + countProblems(editor, field), 0)
  const [field = ''] = fields
  const value = editor.product.value[field]
  const node = product.properties?.[field]
  const isList = node?.items !== undefined
  const isRecord = node?.properties !== undefined
  const entries = Array.isArray(value)
    ? value.length
    : isObject(value)
      ? Object.keys(value).length
      : 0
  // It stays open when its last entry is removed.
  const [isInitiallyOpen] = useState(fields.length > 1 || entries > 0)
  return (
    <details class="section" open={isInitiallyOpen}>
      <summary>
        <h2>{title}</h2>
        {(isList || isRecord) && (
          <span class="muted">{formatCount(entries, isList ? nameElement(field) : 'field')}</span>
        )}
        {errors > 0 && <span class="error-count">{formatErrors(errors)}</span>}
      </summary>
      {isList && node && Array.isArray(value ?? []) ? (
        <ListField
          {...{ editor, node, currency }}
          path={[field]}
          label={title}
          value={(value ?? []) as readonly unknown[]}
          isSection
          record={RecordFields}
          onChange={(list) => editor.change([field], list)}
        />
      ) : isRecord && node && isObject(value ?? {}) ? (
        <div id={toFieldId(field)} tabIndex={-1}>
          <Problems editor={editor} path={[field]} />
          <RecordFields
            {...{ editor, node, currency }}
            path={[field]}
            value={(value ?? {}) as Record<string, unknown>}
          />
        </div>
      ) : (
        <RecordFields
          {...{ editor, currency }}
          node={product}
          path={[]}
          value={editor.product.value}
          only={fields}
        />
      )}
    </details>
  )
}

function formatCount(count: number, noun: string): string {
  return count === 0 ? 'none' : `${count} ${noun}${count === 1 ? '' : 's'}`
}
