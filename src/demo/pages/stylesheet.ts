import { adjustAccent, palette, textOn } from '../../platform/consent/pages/stylesheet.ts'

/** Another colour than the provider's, so that it is visible whose page it is. */
export const budgetColour = '#0f766e'
/** Bars of money out. */
const outColours = { light: '#b45309', dark: '#f0a04b' } as const

function properties(theme: keyof typeof palette): string {
  const accent = adjustAccent(budgetColour, theme)
  const values = { ...palette[theme], accent, 'on-accent': textOn(accent), out: outColours[theme] }
  return Object.entries(values)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')
}

export function renderBudgetStylesheet(): string {
  return `:root{color-scheme:light dark;${properties('light')}}
@media (prefers-color-scheme:dark){:root{${properties('dark')}}}
*{box-sizing:border-box}
body{margin:0;background:var(--surface);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}
header{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:baseline;gap:0 16px;padding:8px 20px;border-bottom:1px solid var(--line)}
header p{margin:4px 0}
.brand{font-weight:700;color:var(--accent)}
main{padding:0 20px 48px;margin:0 auto}
.narrow{max-width:68ch}
.columns{max-width:1280px;display:grid;gap:0 48px;grid-template-columns:minmax(0,1fr)}
@media (min-width:1000px){.columns{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}}
h1{font-size:28px;line-height:1.25;margin:32px 0 16px}
h2{font-size:20px;line-height:1.3;margin:32px 0 8px}
h3{font-size:16px;margin:24px 0 4px}
h4{font-size:14px;margin:12px 0 4px}
p{margin:8px 0}
.muted,.hint{color:var(--muted);font-size:14px}
a{color:var(--accent)}
a:focus-visible,button:focus-visible,summary:focus-visible,pre:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
code,pre{font:14px/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
.hint code{color:var(--ink)}
button,.button{display:inline-flex;align-items:center;min-height:44px;padding:8px 20px;font:inherit;font-weight:600;border-radius:6px;border:1px solid var(--accent);background:var(--accent);color:var(--on-accent);cursor:pointer;text-decoration:none}
button.secondary,.button.secondary{background:var(--surface);color:var(--accent)}
form,.buttons p{margin:16px 0}
.buttons{display:flex;flex-wrap:wrap;gap:0 12px}
.notice{margin:24px 0 0;padding:4px 16px;background:var(--raised);border:1px solid var(--line);border-left:4px solid var(--bad);border-radius:6px}
table{width:100%;border-collapse:collapse}
th,td{text-align:left;vertical-align:top;padding:8px 0;border-bottom:1px solid var(--line);font-weight:400}
thead th{font-size:14px;color:var(--muted)}
th .muted,td .muted{display:block}
.number{text-align:right;font-variant-numeric:tabular-nums;padding-left:12px;white-space:nowrap}
.plot{display:grid;grid-template-columns:auto minmax(0,1fr);gap:0 8px;margin-top:20px}
.axis{display:flex;flex-direction:column;justify-content:space-between;margin:-10px 0;text-align:right;font-size:14px;line-height:20px;color:var(--muted);font-variant-numeric:tabular-nums}
.chart{display:block;width:100%;height:180px;overflow:visible}
.chart line{stroke:var(--line);stroke-dasharray:2 4;vector-effect:non-scaling-stroke}
.chart line:nth-of-type(3){stroke-dasharray:none}
.in{fill:var(--accent)}
.out{fill:var(--out)}
.legend svg{width:12px;height:12px}
.months{grid-column:2;display:flex;margin:4px 0 16px}
.months span{flex:1;text-align:center;font-size:14px;color:var(--muted)}
summary{cursor:pointer;min-height:24px}
.timeline ol{list-style:none;margin:0;padding:0;border-left:2px solid var(--line)}
.timeline li{padding:0 0 0 12px}
.timeline li ol{margin:0 0 8px 12px}
.timeline summary{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:0 12px;padding:8px 0;list-style:none;border-bottom:1px solid var(--line)}
.timeline summary::-webkit-details-marker{display:none}
.timeline .title::before{content:"▸ ";color:var(--muted)}
.timeline details[open] .title::before{content:"▾ "}
.parties,.outcome{font-size:14px;color:var(--muted)}
.title{grid-column:1/-1}
.outcome{font-variant-numeric:tabular-nums}
.status{color:var(--ink);font-weight:600}
.status.bad{color:var(--bad)}
.timeline dl{margin:0;font-size:14px}
.timeline dt{color:var(--muted)}
.timeline dd{margin:0 0 4px}
.timeline pre{margin:0;padding:8px 12px;background:var(--raised);border:1px solid var(--line);border-radius:6px;white-space:pre-wrap}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
`
}
