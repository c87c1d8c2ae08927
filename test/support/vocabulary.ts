/**
 * Words that may not return, each with the established term. Names count too: `openCrowd`, `under-way` and
 * `ERROR_DOOR` are read as separate words.
 */
export const replacements: ReadonlyMap<string, string> = new Map([
  ['anybody', 'the client, the caller'],
  ['at the door', 'in the listen backlog'],
  ['check batch', 'find batch outcome'],
  ['check new feed', 'find new feed conflict'],
  ['claim store', 'replay store'],
  ['claims file', 'replay file'],
  ['crowd', 'concurrency limit, overload'],
  ['crowded', 'overloaded'],
  ['crowds', 'bursts, overload'],
  ['error door', 'error handler'],
  ['everybody', 'all clients, every process'],
  ['found in path', 'or not found'],
  ['give back', 'refund, return'],
  ['handy walk', 'short walk'],
  ['held items', 'deferred items'],
  ['held lines', 'deferred lines'],
  ['keyring', 'test keys'],
  ['lawful', 'valid'],
  ['legible', 'printable'],
  ['long readers', 'read pool'],
  ['mend', 'fix'],
  ['mended', 'fixed'],
  ['mistake', 'error'],
  ['mistakes', 'errors'],
  ['nobody', 'no client, no process'],
  ['probe accounts', 'read account states'],
  ['probe refs', 'sample refs'],
  ['read summary', 'found records'],
  ['reading together', 'batched reads'],
  ['slow readers', 'slow clients'],
  ['somebody', 'a client, a process'],
  ['speller', 'normalizer'],
  ['summarise body', 'find records in body'],
  ['there is none', 'it does not exist'],
  ['token trials', 'token cases'],
  ['told', 'called with, notified'],
  ['turned away', 'rejected'],
  ['type summary', 'type counts'],
  ['under way', 'in flight, in progress'],
  ['whoever', 'the client, the caller'],
  ['whomever', 'the client, the caller'],
  ['world', 'fixture, context, options'],
])

const pattern = new RegExp(`\\b(${[...replacements.keys()].join('|')})\\b`, 'g')

/** The words of a line that may not be used. */
export function forbiddenWords(line: string): string[] {
  const words = line
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .replaceAll(/[-_]/g, ' ')
    .toLowerCase()
  return [...words.matchAll(pattern)].map(([word]) => word)
}
