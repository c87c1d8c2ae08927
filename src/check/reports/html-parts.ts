import { createHash } from 'node:crypto'

interface Part {
  readonly text: string
  /** For the Content-Security-Policy of the page. */
  readonly hash: string
}

function hash(text: string): Part {
  return { text, hash: createHash('sha256').update(text).digest('base64') }
}

export const style = hash(`
:root { color-scheme: light dark; --fail: #b3261e; --pass: #1b6e3c; --skip: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --fail: #ff8a80; --pass: #7bd99b; --skip: #ffc861; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 0 auto; padding: 1rem; }
h1 { margin-bottom: 0; } h2 small { font-weight: normal; font-size: .75em; }
header dl { display: flex; flex-wrap: wrap; gap: .25rem 2rem; }
dt { font-weight: 600; } dd { margin: 0 0 .5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
fieldset { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; border: 1px solid currentColor; }
details { border-left: .3rem solid; padding: .25rem .75rem; margin: .25rem 0; }
details.fail { border-color: var(--fail); } details.pass { border-color: var(--pass); } details.skip { border-color: var(--skip); }
.fail > summary b { color: var(--fail); } .pass > summary b { color: var(--pass); } .skip > summary b { color: var(--skip); }
summary { cursor: pointer; } details[hidden], section[hidden] { display: none; }
figure { margin: .5rem 0; } figcaption { font-weight: 600; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 24rem; overflow: auto; padding: .5rem; border: 1px solid; }
@media print { form { display: none; } details { break-inside: avoid; } }
`)

export const script = hash(`
const form = document.getElementById('filters')
const details = [...document.querySelectorAll('main details')]
const show = () => {
  const text = form.elements.text.value.trim().toLowerCase()
  let count = 0
  for (const one of details) {
    one.hidden = !form.elements[one.className].checked || !one.textContent.toLowerCase().includes(text)
    if (!one.hidden) count += 1
  }
  for (const section of document.querySelectorAll('main section')) {
    section.hidden = !section.querySelector('details:not([hidden])')
  }
  document.getElementById('count').textContent = count + ' of ' + details.length + ' checks shown'
}
form.hidden = false
form.addEventListener('input', show)
form.addEventListener('submit', (event) => event.preventDefault())
show()
`)
