import type { CheckReport, CheckResult, ListedCheck } from '../../../contract/index.ts'

export type Judgement = CheckResult['judgement']

/** A check whose result differs between two runs. A run may not have the check. */
export interface Change {
  readonly id: string
  readonly title: string
  readonly before: CheckResult | undefined
  readonly after: CheckResult | undefined
}

/** What changed from one run to a later one. */
export function compareRuns(before: CheckReport, after: CheckReport) {
  const earlier = new Map(before.results.map((result) => [result.id, result]))
  const later = new Map(after.results.map((result) => [result.id, result]))
  const ids = [...new Set([...later.keys(), ...earlier.keys()])]
  const pairs = ids.map((id): Change => {
    const [old, now] = [earlier.get(id), later.get(id)]
    return { id, title: (now ?? old)?.title ?? '', before: old, after: now }
  })
  const changes = pairs.filter(isChanged)
  const isNewlyFailing = ({ after }: Change) => after?.judgement === 'fail'
  const isFailing = ({ before }: Change) => before?.judgement === 'fail'
  const newlyFailing = changes.filter((change) => isNewlyFailing(change) && !isFailing(change))
  const fixed = changes.filter((change) => isFailing(change) && change.after?.judgement === 'pass')
  return {
    newlyFailing,
    fixed,
    others: changes.filter((change) => !newlyFailing.includes(change) && !fixed.includes(change)),
    sameCount: pairs.length - changes.length,
  }
}

function isChanged({ before, after }: Change): boolean {
  return (
    before?.judgement !== after?.judgement ||
    before?.reason !== after?.reason ||
    before?.expected !== after?.expected
  )
}

/** The last completed run before a completed one, with the same checks if there is one. */
export function findPrevious(
  run: ListedCheck,
  newestFirst: readonly ListedCheck[],
): ListedCheck | undefined {
  if (run.state !== 'completed') return undefined
  const place = newestFirst.findIndex(({ checkId }) => checkId === run.checkId)
  const earlier = newestFirst.slice(place + 1).filter(({ state }) => state === 'completed')
  const isSame = ({ profile, groups }: ListedCheck) =>
    profile === run.profile && groups?.join() === run.groups?.join()
  return earlier.find(isSame) ?? earlier[0]
}
