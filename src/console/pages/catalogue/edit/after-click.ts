let isPressed = false
const waiting: (() => void)[] = []

/**
 * Runs a function when no button of the pointer is pressed. A field that loses the focus because another element is
 * pressed must not move that element before it is released: the click would miss it.
 */
export function runAfterClick(run: () => void): void {
  if (isPressed) waiting.push(run)
  else run()
}

function release(): void {
  isPressed = false
  // The click follows in the same task.
  setTimeout(() => {
    for (const run of waiting.splice(0)) run()
  })
}

window.addEventListener(
  'pointerdown',
  () => {
    isPressed = true
  },
  true,
)
window.addEventListener('pointerup', release, true)
window.addEventListener('pointercancel', release, true)
