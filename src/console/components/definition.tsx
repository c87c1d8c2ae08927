import { type UsageDefinition, usageDefinitions } from '../../contract/usage-definitions.ts'
import { Icon } from './icon.tsx'

/** What a number counts, for a reader who opens it. `name` is that of the number, in the plural. */
export function Definition({ of, name }: { readonly of: UsageDefinition; readonly name: string }) {
  return (
    <details class="definition">
      <summary aria-label={`Definition of ${name}`} title={`Definition of ${name}`}>
        <Icon name="info" />
      </summary>
      <p>{usageDefinitions[of]}</p>
    </details>
  )
}
