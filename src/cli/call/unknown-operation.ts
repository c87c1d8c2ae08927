import { intakeOperations, operations, providerOperations } from '../../contract/index.ts'

/** How similar a name must be to be suggested, from 0 to 1. */
const similarityMin = 0.5

/** An error text for a name that is not an operation of a provider, with the most similar one. */
export function describeUnknownOperation(name: string): string {
  if (Object.hasOwn(operations, name)) {
    const owner = Object.hasOwn(intakeOperations, name) ? 'intake' : 'platform'
    return `${name} is an operation of the ${owner}: holdfast call sends requests to providers`
  }
  const [closest] = Object.keys(providerOperations)
    .map((id) => ({ id, similarity: compareNames(name, id) }))
    .filter(({ similarity }) => similarity >= similarityMin)
    .sort((a, b) => b.similarity - a.similarity)
  const suggestion = closest ? `: did you mean ${closest.id}?` : ''
  return `unknown operation '${name}'${suggestion}`
}

/** The share of character pairs that two names have in common: a missing word or a typing error costs only its own pairs. */
function compareNames(one: string, other: string): number {
  const [first, second] = [listPairs(one), listPairs(other)]
  const common = first.filter((pair) => second.includes(pair)).length
  return (2 * common) / (first.length + second.length || 1)
}

function listPairs(name: string): string[] {
  const letters = name.slice(0, 100).toLowerCase()
  return Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) =>
    letters.slice(at, at + 2),
  )
}
