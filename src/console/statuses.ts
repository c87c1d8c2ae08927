/** What an HTTP status means, for people. */
const words: ReadonlyMap<number, string> = new Map([
  [400, 'Invalid request'],
  [401, 'Not authenticated'],
  [403, 'Not permitted'],
  [404, 'Not found'],
  [405, 'Method not allowed'],
  [406, 'Version not supported'],
  [408, 'Timed out'],
  [409, 'Conflict'],
  [410, 'No longer there'],
  [412, 'Changed meanwhile'],
  [413, 'Too large'],
  [415, 'Wrong media type'],
  [422, 'Not accepted'],
  [428, 'Condition missing'],
  [429, 'Too many requests'],
  [431, 'Headers too large'],
  [499, 'Client disconnected'],
  [500, 'Internal error'],
  [502, 'Bad gateway'],
  [503, 'Not available'],
  [504, 'Gateway timed out'],
])

export function describeStatus(status: number): string {
  return words.get(status) ?? (status >= 500 ? 'Server error' : 'Client error')
}
