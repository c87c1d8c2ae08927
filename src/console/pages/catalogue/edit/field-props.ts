import type { ScalarName } from '../../../../contract/scalars.ts'
import type { Node } from '../../../../contract/schema.ts'
import type { Fields } from './drafts.ts'
import type { Editor } from './editor.ts'
import type { Path } from './paths.ts'

export interface RecordProps {
  readonly editor: Editor
  readonly node: Node
  readonly path: Path
  readonly value: Fields
  /** Only these fields, in this order. */
  readonly only?: readonly string[]
}

export interface ScalarProps {
  readonly editor: Editor
  readonly node: Node
  readonly path: Path
  readonly label: string
  readonly value: unknown
  readonly isRequired?: boolean
  /** A format that depends on another field. */
  readonly scalar?: ScalarName | undefined
  readonly onChange: (value: unknown) => void
}

/** What every kind of control gets, to spread on it. */
export interface ControlAttributes {
  readonly id: string
  readonly name: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
  readonly 'aria-required': true | undefined
  readonly onBlur: () => void
}
