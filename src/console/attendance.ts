/** How long after the last key or click the page counts as in use. */
const presentMs = 5 * 60_000

let inputAt = Date.now()

/** A person has pressed a key or a button. */
export function noteInput(): void {
  inputAt = Date.now()
}

/** Whether a person uses the page. */
export function isAttended(): boolean {
  return Date.now() - inputAt < presentMs
}
