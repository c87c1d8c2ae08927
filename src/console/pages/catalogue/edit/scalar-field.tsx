import { toLabel } from '../../../../contract/labels.ts'
import { fromPercent, toPercent } from '../../../../contract/product-units.ts'
import { findMeasure, findPlace, findUnit } from '../../../../contract/product-values.ts'
import type { ScalarName } from '../../../../contract/scalars.ts'
import { runAfterClick } from './after-click.ts'
import { explain } from './explain.ts'
import type { ControlAttributes, ScalarProps } from './field-props.ts'
import { formatPath, toFieldId } from './paths.ts'
import { PeriodControl } from './period-control.tsx'
import { isLongText } from './presentation.ts'
import { TimeControl } from './time-control.tsx'

/** One value: its label, what it must be, its problems, and a control for its type. */
export function ScalarField(props: ScalarProps) {
  const { editor, node, path, label, value, isRequired } = props
  const at = formatPath(path)
  const id = toFieldId(at)
  const problems = editor.shownProblems.value.filter((problem) => problem.path === at)
  const warnings = editor.warnings.value.filter((warning) => warning.path === at)
  const hint = describeHint(props)
  const describedBy = [
    hint && `${id}-hint`,
    problems.length > 0 && `${id}-error`,
    warnings.length > 0 && `${id}-warning`,
  ].filter(Boolean)
  const control = {
    id,
    name: at,
    'aria-describedby': describedBy.join(' ') || undefined,
    'aria-invalid': problems.length > 0 ? (true as const) : undefined,
    'aria-required':
      isRequired && node.type !== 'boolean' && !mayBeEmpty(props) ? (true as const) : undefined,
    onBlur: () => runAfterClick(() => editor.touch(path)),
  }
  const isCheckbox = node.type === 'boolean'
  return (
    <div
      class={`field ${isCheckbox ? 'checkbox' : isLongText(String(path.at(-1)), value) ? 'long' : ''}`}
    >
      <label for={id}>
        {label}
        {isRequired && !isCheckbox && !mayBeEmpty(props) && <span class="muted"> required</span>}
      </label>
      {problems.length > 0 && (
        <p class="error" id={`${id}-error`}>
          {problems.map((problem) => explain(editor.product.value, problem)).join(' ')}
        </p>
      )}
      <Control {...props} control={control} />
      {warnings.length > 0 && (
        <p class="warning" id={`${id}-warning`}>
          {warnings.map(({ reason }) => `It ${reason}.`).join(' ')}
        </p>
      )}
      {hint && (
        <p class="muted" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <Stored {...props} />
    </div>
  )
}

function Control(props: ScalarProps & { readonly control: ControlAttributes }) {
  const { node, path, value, control, onChange } = props
  const name = String(path.at(-1))
  if (node.enum) return <Choice {...props} />
  if (node.type === 'boolean') {
    return (
      <input
        {...control}
        type="checkbox"
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    )
  }
  if (node.scalar === 'dateTime') {
    return <TimeControl control={control} value={value} onChange={onChange} />
  }
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
  const input = (event: { readonly currentTarget: { readonly value: string } }) =>
    onChange(readText(props, event.currentTarget.value))
  const inputPercent = (event: { readonly currentTarget: { readonly value: string } }) =>
    onChange(readText(props, toStoredRate(event.currentTarget.value.trim())))
  if (isLongText(name, value)) {
    return <textarea {...control} rows={2} value={text} onInput={input} />
  }
  if (findFormat(props) === 'duration') {
    return <PeriodControl control={control} value={text} label={props.label} onChange={onChange} />
  }
  const unit = findUnit(findPlace(props.editor.product.value, path))
  const isNumber =
    unit !== undefined ||
    node.type === 'integer' ||
    ['decimal', 'wholeNumber'].includes(findFormat(props))
  const plain = (
    <input
      {...control}
      value={isRate(props) ? (toPercent(text) ?? text) : text}
      onInput={isRate(props) ? inputPercent : input}
      autocomplete="off"
      spellcheck={node.type === 'string' && !node.scalar}
      inputMode={isNumber ? 'decimal' : undefined}
      class={isNumber ? 'number' : undefined}
    />
  )
  if (unit === undefined) return plain
  return (
    <span class="with-unit">
      {plain}
      <span class="unit">{unit}</span>
    </span>
  )
}

/** A text that is not a percentage is kept, so that it is reported and not lost. It must not be read as a fraction. */
function toStoredRate(entered: string): string {
  return fromPercent(entered) ?? (toPercent(entered) === undefined ? entered : `${entered} %`)
}

/** A required text without a minimum length. */
function mayBeEmpty({ node, isRequired = false }: ScalarProps): boolean {
  return isRequired && node.type === 'string' && !node.scalar && !node.minLength
}

/** An empty text removes an optional field. A required text that may be empty stays. */
function readText(props: ScalarProps, text: string): unknown {
  const { node } = props
  if (text === '') {
    return mayBeEmpty(props) || typeof props.path.at(-1) === 'number' ? '' : undefined
  }
  if (node.type === 'integer' && String(Number(text)) === text) return Number(text)
  return text
}

/** The label of each value. */
function Choice({ node, value, control, onChange }: Parameters<typeof Control>[0]) {
  const values = node.enum ?? []
  const isUnknown = value !== undefined && !values.includes(String(value))
  return (
    <select
      {...control}
      value={value === undefined ? '' : String(value)}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    >
      <option value="">Not set</option>
      {isUnknown && (
        <option value={String(value)}>{String(value)} (not a value of this field)</option>
      )}
      {values.map((each) => (
        <option key={each} value={each}>
          {toLabel(each)}
        </option>
      ))}
    </select>
  )
}

/** The value that programs read, if the control shows it in other units. */
function Stored(props: ScalarProps) {
  const { value } = props
  if (typeof value !== 'string' || !isRate(props) || toPercent(value) === undefined) return null
  return <p class="muted">Stored as {value}</p>
}

function findFormat({ node, scalar }: ScalarProps): ScalarName | '' {
  return scalar ?? node.scalar ?? ''
}

function isRate({ editor, path }: ScalarProps): boolean {
  return findMeasure(findPlace(editor.product.value, path)) === 'rate'
}

/** What to enter, for formats whose control does not say it. */
const expected: Readonly<Partial<Record<ScalarName, string>>> = {
  wholeNumber: 'A whole number, such as 18.',
  webUri: 'A link that starts with https:// or http://.',
}

function describeHint(props: ScalarProps): string {
  const { node } = props
  const about = node.fieldDescription ?? node.description ?? ''
  const format = findFormat(props)
  return [about, format !== '' && expected[format]].filter(Boolean).join(' ')
}
