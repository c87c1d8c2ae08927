import { brandColours } from '../../../design/contrast.ts'
import { renderFontFace, renderTokens } from '../../../design/tokens.ts'

/** The URL of the font is relative to the stylesheet. */
export function renderStylesheet(brandColour: string, font?: string): string {
  return `${font === undefined ? '' : renderFontFace(font)}${renderTokens(brandColours(brandColour))}*,::before,::after{box-sizing:border-box}
${layoutRules}${formRules}${partRules}`
}

/** The text of the header, the card and the footer is 38rem wide and aligned. */
const layoutRules = `body{margin:0;background:var(--page);color:var(--ink);font:var(--text-reading)/1.5 var(--font);overflow-wrap:anywhere}
header,footer{padding:0 max(20px,50% - 19rem)}
header{display:flex;justify-content:space-between;align-items:center;gap:16px;background:var(--surface);border-bottom:1px solid var(--line)}
main{padding:8px 20px 32px;background:var(--surface);border-bottom:1px solid var(--line)}
footer{padding-block:8px 32px;color:var(--muted);font-size:14px}
h1{font-size:24px;line-height:1.25;margin:24px 0 16px;letter-spacing:-.01em}
h2,legend{font-size:18px;line-height:1.3;margin:28px 0 8px;padding:0;font-weight:var(--weight-bold)}
h2+p{margin-top:0}
.brand{display:flex;align-items:center;gap:8px;font-weight:var(--weight-bold)}
.step{white-space:nowrap}
.step,.muted,.detail{color:var(--muted);font-size:14px}
.detail{display:block}
a{color:var(--accent)}
code{font:14px/1.5 var(--mono)}
:is(a,button,input,summary):focus-visible{outline:3px solid var(--accent);outline-offset:2px}
@media (min-width:700px){
main{max-width:42rem;margin:32px auto 24px;padding:8px 31px 32px;border:1px solid var(--line);border-radius:var(--radius);box-shadow:var(--shadow)}
h1{font-size:28px}
}
`

const formRules = `label{display:block;font-weight:var(--weight-bold);margin:24px 0 4px}
input[type=text],input[type=email]{width:100%;max-width:36ch;min-height:44px;padding:8px 12px;font:inherit;color:inherit;background:var(--surface);border:1px solid var(--control);border-radius:var(--radius-small)}
input[aria-invalid=true]{border:2px solid var(--bad)}
input[type=text].code{letter-spacing:.3em;font-variant-numeric:tabular-nums;max-width:14ch}
.buttons{display:flex;flex-wrap:wrap;gap:12px;margin:24px 0 8px}
button{min-height:44px;padding:8px 20px;font:inherit;font-weight:var(--weight-bold);border-radius:var(--radius-small);border:1px solid var(--accent);background:var(--accent);color:var(--on-accent);cursor:pointer}
button:hover{box-shadow:0 0 0 3px color-mix(in srgb,var(--accent) 25%,transparent)}
button.secondary{background:var(--surface);color:var(--accent)}
button.danger{border-color:var(--bad);background:var(--bad);color:var(--on-bad)}
button.danger:hover{box-shadow:0 0 0 3px color-mix(in srgb,var(--bad) 25%,transparent)}
button.link{min-height:24px;padding:0;border:0;background:none;color:var(--accent);font-weight:400;text-decoration:underline}
button.link:hover{box-shadow:none;text-decoration-thickness:2px}
.problem{margin:24px 0;padding:4px 16px;border:2px solid var(--bad);border-radius:var(--radius-small)}
.problem h2{margin-top:12px}
.problem a,.error{color:var(--bad);font-weight:var(--weight-bold)}
.error{margin:4px 0}
main.correctable:has(#email:valid,#passcode:valid,[name=account]:checked) :is(.problem,.error){display:none}
main.correctable input:valid{border:1px solid var(--control)}
fieldset{border:0;margin:24px 0 0;padding:0;min-width:0}
legend{margin-top:0}
.choice{display:flex;gap:12px;align-items:flex-start;margin:0;padding:12px 8px;border-bottom:1px solid var(--line);font-weight:400;cursor:pointer}
legend+.choice{border-top:1px solid var(--line)}
.choice:hover,.choice:has(:checked){background:var(--page)}
.choice input{width:24px;height:24px;margin:0;flex:none;accent-color:var(--accent)}
.choice .muted{display:block}
`

const partRules = `.facts{margin:16px 0 24px;border-top:1px solid var(--line)}
.facts>div{padding:12px 0;border-bottom:1px solid var(--line)}
dt{font-weight:var(--weight-bold)}
dd{margin:0}
dd>p{margin:8px 0 0}
dd>:first-child{margin-top:0}
@media (min-width:700px){.facts>div{display:grid;grid-template-columns:10rem minmax(0,1fr);gap:16px}}
details{margin-top:4px}
summary{position:relative;padding-left:20px;min-height:24px;list-style:none;cursor:pointer}
summary::-webkit-details-marker{display:none}
summary::before{content:'';position:absolute;left:0;top:8px;width:8px;height:8px;border:solid var(--muted);border-width:0 2px 2px 0;transform:rotate(-45deg)}
details[open]>summary::before{left:2px;top:6px;transform:rotate(45deg)}
details ul{margin:0 0 12px;padding-left:36px;columns:10rem;column-gap:24px;color:var(--muted);font-size:14px}
.change{padding:0 8px;border:1px solid var(--accent);border-radius:10px;color:var(--accent);font-size:14px}
.items{margin:0;padding:0;list-style:none}
.items li+li{margin-top:8px}
.items .muted{display:block}
.status{display:inline-flex;align-items:center;gap:6px;font-weight:var(--weight-bold)}
.status::before{content:'';width:8px;height:8px;border-radius:50%;border:2px solid var(--muted)}
.status.active::before{border-color:var(--accent);background:var(--accent)}
.consents{list-style:none;margin:0;padding:0;border-top:1px solid var(--line)}
.consents li{padding:16px 0;border-bottom:1px solid var(--line)}
.consents p{margin:0}
.consents a{font-weight:var(--weight-bold);font-size:18px}
.consents .muted{margin-top:4px}
.history{list-style:none;padding:0 0 0 5px;margin:16px 0}
.history>li{position:relative;padding:0 0 20px 24px;border-left:2px solid var(--line)}
.history>li:last-child{border-color:transparent;padding-bottom:0}
.history>li::before{content:'';position:absolute;left:-7px;top:5px;width:12px;height:12px;border-radius:50%;border:2px solid var(--muted);background:var(--surface)}
.history ul{margin:4px 0 0;padding-left:20px}
.notice{margin:24px 0;padding:8px 16px;background:var(--page);border:1px solid var(--line);border-left:4px solid var(--accent);border-radius:var(--radius-small)}
.addresses{margin:8px 0;padding:0 0 0 20px;columns:14rem;font-size:14px}
`
