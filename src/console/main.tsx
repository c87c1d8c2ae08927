import { render } from 'preact'
import { followLinks } from './router.ts'
import { loadSession } from './session.ts'
import { Shell } from './shell.tsx'

followLinks()
const root = document.getElementById('console')
if (root) render(<Shell />, root)
loadSession()
