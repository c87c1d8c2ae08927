import type { ComponentType } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { capitalize } from '../../../../contract/labels.ts'
import { findPlace } from '../../../../contract/product-values.ts'
import { isObject, type Node } from '../../../../contract/schema.ts'
import { LinkButton, SecondaryButton } from '../../../components/button.tsx'
import { formatCount } from '../../../labels.ts'
import type { Editor } from './editor.ts'
import type { RecordProps } from './field-props.ts'
import { focusFirstControl } from './focus.ts'
import { findElementKey, formatPath, type Path, toFieldId } from './paths.ts'
import { describeElement, nameElement } from './presentation.ts'
import { countProblems, isWithin, Problems } from './problems.tsx'
import { ScalarField } from './scalar-field.tsx'

interface ListProps {
  readonly editor: Editor
  readonly node: Node
  readonly path: Path
  readonly label: string
  readonly value: readonly unknown[]
  /** A section has the heading of the list already. */
  readonly isSection?: boolean
  readonly onChange: (value: unknown) => void
  /** Shows the fields of an element that is a record. */
  readonly record: ComponentType<RecordProps>
}

/** Lists with more elements start collapsed. What is collapsed is not rendered: a product can have hundreds of fees. */
const openMax = 3

/** A list whose elements can be added, duplicated, moved and removed. */
export function ListField(props: ListProps) {
  const { editor, node, path, label, value, isSection, onChange } = props
  const noun = nameElement(String(path.at(-1)))
  const id = toFieldId(formatPath(path))
  const items = node.items ?? {}
  const focus = useRef<(() => void) | undefined>(undefined)
  useLayoutEffect(() => {
    focus.current?.()
    focus.current = undefined
  })
  const elementId = (index: number) => toFieldId(formatPath([...path, index]))
  const replace = (list: readonly unknown[], message: string, then: () => void) => {
    focus.current = then
    editor.announcement.value = message
    onChange(list.length === 0 ? undefined : list)
  }
  const insert = (index: number, element: unknown) => {
    editor.revealed.value = formatPath([...path, index])
    replace(value.toSpliced(index, 0, element), `${noun} ${index + 1} added`, () =>
      focusFirstControl(elementId(index)),
    )
  }
  const move = (index: number, to: number) =>
    replace(
      value.toSpliced(index, 1).toSpliced(to, 0, value[index]),
      `${noun} moved to position ${to + 1} of ${value.length}`,
      () => focusButton(elementId(to), to < index ? 'up' : 'down'),
    )
  const remove = (index: number) =>
    replace(value.toSpliced(index, 1), `${noun} ${index + 1} removed`, () => {
      const next = Math.min(index, value.length - 2)
      document.getElementById(next < 0 ? `${id}-add` : `${elementId(next)}-remove`)?.focus()
    })

  return (
    <div class="list" id={id} tabIndex={-1}>
      {!isSection && <p class="list-label">{label}</p>}
      <Problems editor={editor} path={path} />
      <ol class="elements">
        {value.map((element, index) => (
          <li key={findElementKey(element, index)}>
            <Element {...props} items={items} element={element} index={index} noun={noun}>
              {[
                ['up', 'Move up', index > 0, () => move(index, index - 1)],
                ['down', 'Move down', index < value.length - 1, () => move(index, index + 1)],
                ['duplicate', 'Duplicate', true, () => insert(index + 1, structuredClone(element))],
                ['remove', 'Remove', true, () => remove(index)],
              ]}
            </Element>
          </li>
        ))}
      </ol>
      <SecondaryButton
        id={`${id}-add`}
        onClick={() => insert(value.length, items.properties ? {} : '')}
      >
        Add {noun}
      </SecondaryButton>
    </div>
  )
}

type Action = readonly [id: string, text: string, isEnabled: boolean, run: () => void]

function Element({
  editor,
  path,
  value,
  items,
  element,
  index,
  noun,
  onChange,
  record: Fields,
  children,
}: Omit<ListProps, 'node' | 'label'> & {
  readonly items: Node
  readonly element: unknown
  readonly index: number
  readonly noun: string
  readonly children: readonly Action[]
}) {
  const at = [...path, index]
  const id = toFieldId(formatPath(at))
  const [isOpen, setOpen] = useState(value.length <= openMax)
  const isRevealed = isWithin(editor.revealed.value, formatPath(at))
  const name = `${noun} ${index + 1}`
  if (!items.properties || !isObject(element)) {
    return (
      <div class="element-row">
        <ScalarField
          {...{ editor, path: at }}
          node={items}
          label={capitalize(name)}
          value={element}
          isRequired
          onChange={(content) => onChange(value.with(index, content))}
        />
        <Actions id={id} name={name} actions={children} />
      </div>
    )
  }
  const errors = countProblems(editor, formatPath(at))
  const about = describeElement(findPlace(editor.product.value, at), element)
  return (
    <details
      class="element"
      id={id}
      tabIndex={-1}
      open={isOpen || isRevealed}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        {capitalize(name)}
        {about && <span class="muted"> · {about}</span>}
        {errors > 0 && <span class="error-count"> · {formatCount(errors, 'error')}</span>}
      </summary>
      {(isOpen || isRevealed) && (
        <>
          <Fields editor={editor} node={items} path={at} value={element} />
          <Actions id={id} name={name} actions={children} />
        </>
      )}
    </details>
  )
}

function Actions({
  id,
  name,
  actions,
}: {
  readonly id: string
  readonly name: string
  readonly actions: readonly Action[]
}) {
  return (
    <div class="element-actions">
      {actions.map(([action, text, isEnabled, run]) => (
        <LinkButton
          key={action}
          id={`${id}-${action}`}
          aria-label={`${text} ${name}`}
          disabled={!isEnabled}
          onClick={run}
        >
          {text}
        </LinkButton>
      ))}
    </div>
  )
}

/** At an end of the list, the button in this direction is disabled, and the opposite one gets the focus. */
function focusButton(id: string, direction: 'up' | 'down'): void {
  const button = document.getElementById(`${id}-${direction}`) as HTMLButtonElement | null
  const opposite = direction === 'up' ? 'down' : 'up'
  if (button && !button.disabled) button.focus()
  else document.getElementById(`${id}-${opposite}`)?.focus()
}
