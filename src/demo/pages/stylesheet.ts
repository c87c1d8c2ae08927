import { brandColours } from '../../design/contrast.ts'
import { renderFontFace, renderTokens } from '../../design/tokens.ts'

/** Another colour than the provider's, so that it is visible whose page it is. */
export const budgetColour = '#0f766e'

export function renderBudgetStylesheet(font?: string): string {
  return `${font === undefined ? '' : renderFontFace(font)}${renderTokens(brandColours(budgetColour))}*{box-sizing:border-box}
body{margin:0;background:var(--surface);color:var(--ink);font:var(--text-reading)/1.5 var(--font);font-variant-numeric:tabular-nums;overflow-wrap:break-word}
header{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:baseline;gap:0 16px;padding:8px 20px;border-bottom:1px solid var(--line)}
header p{margin:4px 0}
.brand{font-weight:var(--weight-bold);color:var(--accent)}
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
code,pre{font:14px/1.5 var(--mono);overflow-wrap:anywhere}
.hint code{color:var(--ink)}
button,.button{display:inline-flex;align-items:center;min-height:44px;padding:8px 20px;font:inherit;font-weight:var(--weight-medium);border-radius:var(--radius-small);border:1px solid var(--accent);background:var(--accent);color:var(--on-accent);cursor:pointer;text-decoration:none}
button.secondary,.button.secondary{background:var(--surface);color:var(--accent)}
form,.buttons p{margin:16px 0}
.buttons{display:flex;flex-wrap:wrap;gap:0 12px}
.notice{margin:24px 0 0;padding:4px 16px;background:var(--sunken);border:1px solid var(--line);border-left:4px solid var(--bad);border-radius:var(--radius-small)}
table{width:100%;border-collapse:collapse}
th,td{text-align:left;vertical-align:top;padding:8px 0;border-bottom:1px solid var(--line);font-weight:400}
thead th{font-size:14px;color:var(--muted)}
th .muted,td .muted{display:block}
.number{text-align:right;font-variant-numeric:tabular-nums;padding-left:12px;white-space:nowrap}
.charts{container-type:inline-size}
.chart{display:block;width:100%;max-width:600px;height:auto;margin:8px 0}
.chart.narrow{max-width:340px}
@container (max-width:420px){.chart.wide{display:none}}
@container (min-width:420.01px){.chart.narrow{display:none}}
.chart text{fill:var(--muted);font-size:12px}
.chart-grid{stroke:var(--line)}
.chart-baseline{stroke:var(--control)}
.in{fill:var(--accent)}
.out{fill:var(--series-3)}
.legend svg{width:12px;height:12px}
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
.status{color:var(--ink);font-weight:var(--weight-medium)}
.status.bad{color:var(--bad)}
.timeline dl{margin:0;font-size:14px}
.timeline dt{color:var(--muted)}
.timeline dd{margin:0 0 4px}
.timeline pre{margin:0;padding:8px 12px;background:var(--sunken);border:1px solid var(--line);border-radius:var(--radius-small);white-space:pre-wrap}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
`
}
