let listener = () => {}

/** Sets what is called once, when the code of a command is loaded. */
export function onCodeLoaded(call: () => void): void {
  listener = call
}

/** Called before the flags of V8 are changed, and at the end of a command: a code cache is valid only for the flags with which it was written. */
export function noteCodeLoaded(): void {
  listener()
  listener = () => {}
}
