/** How long after the last key or click the page counts as in use. */
const presentMs = 5 * 60_000

let inputAt = Date.now()

/** A person has pressed a key or a button. */
export function noteInput(): void {
  inputAt = Date.now()
}

/** A header for requests while the page is not in use: they do not keep the session from ending. */
export function attendanceHeaders(): Readonly<Record<string, string>> {
  return Date.now() - inputAt < presentMs ? {} : { 'x-unattended': 'true' }
}
