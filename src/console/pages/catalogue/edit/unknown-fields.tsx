import { SecondaryButton } from '../../../components/button.tsx'
import type { RecordProps } from './field-props.ts'
import { formatPath, toFieldId } from './paths.ts'

/** Fields that the contract does not have, for example of an earlier version. They are removed only by the user. */
export function UnknownFields({ editor, node, path, value }: Omit<RecordProps, 'only'>) {
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(node.properties ?? {}, name))
  if (unknown.length === 0) return null
  return (
    <ul class="unknown-fields">
      {unknown.map((name) => (
        <li key={name} id={toFieldId(formatPath([...path, name]))} tabIndex={-1}>
          <code>{name}</code>: <code>{JSON.stringify(value[name])}</code>
          <p class="error">
            {formatPath([...path, name])} is not a field of this record. It is kept until you remove
            it, and the draft cannot be saved with it.
          </p>
          <SecondaryButton onClick={() => editor.change([...path, name], undefined)}>
            Remove {name}
          </SecondaryButton>
        </li>
      ))}
    </ul>
  )
}
