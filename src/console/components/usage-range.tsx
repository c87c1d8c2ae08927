import { type UsageRange, usageRangeNames, usageRanges } from '../../contract/usage-definitions.ts'
import { setQuery } from '../router.ts'
import { ChipSelect } from './field.tsx'

const standard: UsageRange = '24h'

/** The range of the view, which is the parameter `range` of its address. */
export function readRange(query: URLSearchParams): UsageRange {
  return usageRangeNames.find((name) => name === query.get('range')) ?? standard
}

export function RangeSelect({ range }: { readonly range: UsageRange }) {
  return (
    <ChipSelect
      label="Range"
      value={range}
      standard={standard}
      options={usageRangeNames.map((name) => [name, `Last ${usageRanges[name].title}`] as const)}
      onSelect={(chosen) => setQuery({ range: chosen })}
    />
  )
}
