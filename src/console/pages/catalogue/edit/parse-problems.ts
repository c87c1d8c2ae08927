import type { Problem } from '../../../../contract/rules.ts'

/** The problems in the text of a 400: `brand is required; fees[0].rate must be a decimal string`. */
export function parseProblems(sentences: string): Problem[] {
  return sentences.split('; ').map((sentence) => {
    const [, path, reason] = /^([a-z_][\w.[\]]*) ((?:is|must) .+)$/s.exec(sentence) ?? []
    return path === undefined || reason === undefined
      ? { path: '', reason: sentence }
      : { path, reason }
  })
}
