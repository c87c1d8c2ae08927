import { useState } from 'preact/hooks'
import { ProductInput } from '../../../../contract/records/product.ts'
import { asNode, isObject } from '../../../../contract/schema.ts'
import { formatCount } from '../../../labels.ts'
import type { Editor } from './editor.ts'
import { nameElement, sections } from './presentation.ts'
import { countProblems } from './problems.tsx'
import { RecordField, RecordFields } from './record-fields.tsx'
import { UnknownFields } from './unknown-fields.tsx'

const product = asNode(ProductInput)

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
  const node = product.properties?.[field] ?? {}
  const isList = node.items !== undefined
  const isRecord = node.properties !== undefined
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
          <span class="muted">
            {entries === 0 ? 'none' : formatCount(entries, isList ? nameElement(field) : 'field')}
          </span>
        )}
        {errors > 0 && <span class="error-count">{formatCount(errors, 'error')}</span>}
      </summary>
      {isList || isRecord ? (
        <RecordField
          {...{ editor, node, value }}
          path={[field]}
          isSection
          onChange={(content) => editor.change([field], content)}
        />
      ) : (
        <RecordFields
          editor={editor}
          node={product}
          path={[]}
          value={editor.product.value}
          only={fields}
        />
      )}
    </details>
  )
}
