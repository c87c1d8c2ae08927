import { render } from 'preact'
import { noteInput } from './attendance.ts'
import { followLinks } from './router.ts'
import { loadSession } from './session-calls.ts'
import { Shell } from './shell.tsx'

followLinks()
for (const event of ['pointerdown', 'keydown', 'wheel'])
  document.addEventListener(event, noteInput, { passive: true })
const root = document.getElementById('console')
if (root) render(<Shell />, root)
loadSession()
