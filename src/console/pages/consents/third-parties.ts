import { useRef } from 'preact/hooks'
import type { Consent } from '../../../contract/index.ts'
import { getUsage } from '../../../contract/operations/monitoring.ts'
import { read } from '../../api.ts'
import { useResource } from '../../resource.ts'
import { hasScope } from '../../session.ts'

interface ThirdParty {
  readonly id: string
  readonly label: string
}

/** The third parties to suggest, by name: those of consents that were shown, and of the calls of 30 days. */
export function useThirdParties(consents: readonly Consent[]): readonly ThirdParty[] {
  const isPermitted = hasScope('operations.read')
  const { value } = useResource(`third parties ${isPermitted}`, async (signal) =>
    isPermitted ? (await read(getUsage, { query: { range: '30d' }, signal })).thirdParties : [],
  )
  const known = useRef(new Map<string, string>())
  for (const { thirdParty } of [...(value ?? []), ...consents]) {
    if (thirdParty) known.current.set(thirdParty.id, thirdParty.name ?? thirdParty.id)
  }
  const names = [...known.current.values()]
  return [...known.current]
    .map(([id, name]) => ({
      id,
      label: names.filter((each) => each === name).length > 1 ? `${name} (${id})` : name,
    }))
    .sort((a, b) => a.label.localeCompare(b.label))
}
