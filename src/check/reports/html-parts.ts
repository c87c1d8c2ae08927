import { createHash } from 'node:crypto'
import { renderTokens } from '../../design/tokens.ts'

interface Part {
  readonly text: string
  /** For the Content-Security-Policy of the page. */
  readonly hash: string
}

function hash(text: string): Part {
  return { text, hash: createHash('sha256').update(text).digest('base64') }
}

export const style = hash(`${renderTokens()}
body { font: var(--text-console)/1.5 var(--font); max-width: 70rem; margin: 0 auto; padding: 24px 16px; background: var(--page); color: var(--ink); }
h1 { margin-bottom: 0; font-size: 22px; } h2 { margin: 24px 0 8px; font-size: 15px; } h2 small { font-weight: normal; font-size: 12.5px; color: var(--muted); }
header dl { display: flex; flex-wrap: wrap; gap: 4px 32px; padding: 12px 16px; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); box-shadow: var(--shadow); }
dt { font-size: 12px; color: var(--muted); } dd { margin: 0 0 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
fieldset { display: flex; flex-wrap: wrap; gap: 8px 24px; border: 1px solid var(--line); border-radius: var(--radius); }
input[type=search] { padding: 5px 10px; border: 1px solid var(--control); border-radius: var(--radius-small); background: var(--raised); color: inherit; font: inherit; }
details { padding: 6px 12px; margin: 6px 0; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); }
summary b { padding: 0 8px; border-radius: 99px; font-size: 12px; }
.fail > summary b { background: var(--bad-soft); color: var(--bad); } .pass > summary b { background: var(--good-soft); color: var(--good); } .skip > summary b { background: var(--warn-soft); color: var(--warn); }
summary { cursor: pointer; } details[hidden], section[hidden] { display: none; }
figure { margin: 8px 0; } figcaption { font-weight: 600; }
code, pre { font-family: var(--mono); font-size: 12.5px; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 24rem; overflow: auto; padding: 8px; border: 1px solid var(--line); border-radius: var(--radius-small); background: var(--sunken); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
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
