import { type UsageDefinition, usageDefinitions } from '../../contract/usage-definitions.ts'

/** What a number counts, for a reader who opens it. `name` is that of the number, in the plural. */
export function Definition({ of, name }: { readonly of: UsageDefinition; readonly name: string }) {
  return (
    <details class="definition">
      <summary>Definition of {name}</summary>
      <p>{usageDefinitions[of]}</p>
    </details>
  )
}
