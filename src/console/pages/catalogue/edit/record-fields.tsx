import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { describePath, toLabel } from '../../../../contract/labels.ts'
import { fromPercent, toPercent } from '../../../../contract/product-units.ts'
import {
  enterPlace,
  findMeasure,
  findPlace,
  type Place,
} from '../../../../contract/product-values.ts'
import { readFieldRules } from '../../../../contract/rules.ts'
import { isObject, type Node } from '../../../../contract/schema.ts'
import { LinkButton, SecondaryButton } from '../../../components/button.tsx'
import type { Fields } from './drafts.ts'
import type { RecordProps, ScalarProps } from './field-props.ts'
import { focusFirstControl } from './focus.ts'
import { ListField } from './list-field.tsx'
import { formatPath, type Path, setAt, toFieldId } from './paths.ts'
import { listFields } from './presentation.ts'
import { Problems } from './problems.tsx'
import { ScalarField } from './scalar-field.tsx'
import { UnknownFields } from './unknown-fields.tsx'

/** The fields of a record that apply to its values, and a menu of those that can be added. */
export function RecordFields(props: RecordProps) {
  const { editor, node, path, value, only } = props
  const place = findPlace(editor.product.value, path)
  const [added, setAdded] = useState<readonly string[]>([])
  const removed = useRef(new Map<string, unknown>())
  const focus = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    if (focus.current === undefined) return
    focusFirstControl(focus.current)
    focus.current = undefined
  })
  const { properties = {}, required = [], rules = [] } = node
  const change = (name: string, content: unknown) => {
    const changed = setAt(value, [name], content) as Fields
    const fields = keepEntered(place, value, applyRules(node, changed, removed.current))
    // The records of a product are sections, which are empty without them.
    const isEmptySection = path.length === 1 && Object.keys(fields).length === 0
    editor.change(path, isEmptySection ? undefined : fields)
  }

  const fields = (only?.map((name) => ({ name, isUsual: true })) ?? listFields(node)).map(
    (field) => {
      const rule = readFieldRules(rules, value, field.name)
      const isRequired = required.includes(field.name) || rule.isRequired
      const isPresent = value[field.name] !== undefined
      const isShown =
        isPresent ||
        isRequired ||
        added.includes(field.name) ||
        (field.isUsual && !rule.isForbidden)
      return { ...field, ...rule, isRequired, isShown }
    },
  )
  const addable = fields.filter(({ isShown, isForbidden }) => !isShown && !isForbidden)
  const add = (name: string) => {
    setAdded([...added, name])
    const child = properties[name]
    if (child?.properties) change(name, {})
    else if (child?.items) change(name, [child.items.properties ? {} : ''])
    focus.current = toFieldId(formatPath([...path, name]))
  }

  return (
    <div class="record">
      {fields
        .filter(({ isShown }) => isShown)
        .map(({ name, isRequired, scalar }) => (
          <RecordField
            key={name}
            editor={editor}
            node={properties[name] ?? {}}
            path={[...path, name]}
            value={value[name]}
            isRequired={isRequired}
            scalar={scalar}
            onChange={(content) => change(name, content)}
          />
        ))}
      {!only && <UnknownFields editor={editor} node={node} path={path} value={value} />}
      {addable.length > 0 && (
        <AddField names={addable.map(({ name }) => name)} path={path} onAdd={add} />
      )}
    </div>
  )
}

/** A list, a record or one value. */
export function RecordField(
  props: Omit<ScalarProps, 'label'> & {
    /** A section has the heading of the field already. */
    readonly isSection?: boolean
  },
) {
  const { editor, node, path, value, isRequired, isSection = false, onChange } = props
  const label = toLabel(String(path.at(-1)))
  if (node.items && (value === undefined || Array.isArray(value))) {
    return (
      <ListField
        {...{ editor, node, path, label, isSection, onChange }}
        value={value ?? []}
        record={RecordFields}
      />
    )
  }
  if (node.properties && (value === undefined || isObject(value))) {
    const Group = isSection ? 'div' : 'fieldset'
    return (
      <Group class={isSection ? undefined : 'group'} id={toFieldId(formatPath(path))} tabIndex={-1}>
        {!isSection && <legend>{label}</legend>}
        <Problems editor={editor} path={path} />
        <RecordFields {...{ editor, node, path }} value={value ?? {}} />
        {!isSection && !isRequired && value !== undefined && (
          <LinkButton onClick={() => onChange(undefined)}>Remove {label.toLowerCase()}</LinkButton>
        )}
      </Group>
    )
  }
  return <ScalarField {...props} label={label} />
}

function AddField({
  names,
  path,
  onAdd,
}: {
  readonly names: readonly string[]
  readonly path: Path
  readonly onAdd: (name: string) => void
}) {
  const id = useId()
  const [chosen, setChosen] = useState('')
  const isChosen = names.includes(chosen)
  return (
    <div class="add-field">
      <label for={id} class="visually-hidden">
        Field to add{path.length > 0 && ` to ${describePath(formatPath(path))}`}
      </label>
      <select
        id={id}
        value={isChosen ? chosen : ''}
        onChange={(event) => setChosen(event.currentTarget.value)}
      >
        <option value="">Add a field …</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {toLabel(name)}
          </option>
        ))}
      </select>
      <SecondaryButton disabled={!isChosen} onClick={() => onAdd(chosen)}>
        Add
      </SecondaryButton>
    </div>
  )
}

/** Where the new type of a record makes a number a percentage, or the reverse, the form shows the same number as before. */
function keepEntered(place: Place, before: Fields, after: Fields): Fields {
  const isRate = (fields: Fields, name: string) =>
    findMeasure(enterPlace(place, fields, name)) === 'rate'
  let result = after
  for (const [name, text] of Object.entries(after)) {
    if (typeof text !== 'string' || text !== before[name]) continue
    if (isRate(before, name) === isRate(after, name)) continue
    const converted = isRate(after, name) ? fromPercent(text) : toPercent(text)
    result = setAt(result, [name], converted ?? text) as Fields
  }
  return result
}

/**
 * Removes the records that the chosen type does not have, and creates those that it requires. A removed record is
 * kept in `removed` and comes back with its type.
 */
function applyRules(node: Node, fields: Fields, removed: Map<string, unknown>): Fields {
  let result = fields
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    if (!child.properties) continue
    const { isRequired, isForbidden } = readFieldRules(node.rules ?? [], result, name)
    if (isForbidden && result[name] !== undefined) {
      removed.set(name, result[name])
      result = setAt(result, [name], undefined) as Fields
    } else if (isRequired && result[name] === undefined) {
      result = setAt(result, [name], removed.get(name) ?? {}) as Fields
    }
  }
  return result
}
