/** The colours of the pages in light and dark. A test checks the contrast of each pair that is used. */
export const palette = {
  light: {
    ink: '#1b1f24',
    muted: '#57606a',
    line: '#8c959f',
    surface: '#ffffff',
    raised: '#f6f8fa',
    bad: '#b42318',
  },
  dark: {
    ink: '#e6edf3',
    muted: '#9198a1',
    line: '#7d8590',
    surface: '#0d1117',
    raised: '#161b22',
    bad: '#ff938a',
  },
} as const

/** The contrast that WCAG 2.2 AA requires of text. */
const contrastMin = 4.5

/** The contrast ratio of two colours such as #0b5fff, as WCAG defines it. */
export function contrast(first: string, second: string): number {
  const [light = 0, dark = 0] = [luminance(first), luminance(second)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(colour.slice(start, start + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The colour of the brand, mixed with black or white until text in it is readable on every surface of the theme. */
export function adjustAccent(colour: string, theme: keyof typeof palette): string {
  const { surface, raised } = palette[theme]
  const target = theme === 'light' ? 0 : 255
  for (let share = 0; ; share += 0.05) {
    const mixed = mix(colour, target, Math.min(share, 1))
    const isReadable = [surface, raised].every((other) => contrast(mixed, other) >= contrastMin)
    if (isReadable || share >= 1) return mixed
  }
}

/** The colour of text on a button. */
export function textOn(colour: string): string {
  return contrast(colour, '#ffffff') >= contrast(colour, '#000000') ? '#ffffff' : '#000000'
}

function mix(colour: string, target: number, share: number): string {
  const parts = [1, 3, 5].map((start) => {
    const value = Number.parseInt(colour.slice(start, start + 2), 16)
    return Math.round(value + (target - value) * share)
      .toString(16)
      .padStart(2, '0')
  })
  return `#${parts.join('')}`
}

function properties(theme: keyof typeof palette, brandColour: string): string {
  const accent = adjustAccent(brandColour, theme)
  return Object.entries({ ...palette[theme], accent, 'on-accent': textOn(accent) })
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')
}

export function renderStylesheet(brandColour: string): string {
  return `:root{color-scheme:light dark;${properties('light', brandColour)}}
@media (prefers-color-scheme:dark){:root{${properties('dark', brandColour)}}}
*{box-sizing:border-box}
body{margin:0;background:var(--surface);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
header,main,footer{max-width:42rem;margin:0 auto;padding:0 20px}
header{display:flex;justify-content:space-between;align-items:center;gap:16px;border-bottom:1px solid var(--line)}
footer{margin-top:48px;border-top:1px solid var(--line);color:var(--muted);font-size:14px}
h1{font-size:28px;line-height:1.25;margin:32px 0 16px}
h2,legend{font-size:20px;line-height:1.3;margin:24px 0 8px;padding:0;font-weight:600}
legend{margin-top:0}
.brand{display:flex;align-items:center;gap:8px;font-weight:600}
.step,.muted{color:var(--muted);font-size:14px}
a{color:var(--accent)}
a:focus-visible,button:focus-visible,input:focus-visible,summary:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
label{display:block;font-weight:600;margin:16px 0 4px}
input[type=text],input[type=email]{width:100%;max-width:36ch;min-height:44px;padding:8px 12px;font:inherit;color:inherit;background:var(--surface);border:1px solid var(--line);border-radius:6px}
input[aria-invalid=true]{border:2px solid var(--bad)}
input[type=text].code{letter-spacing:.3em;font-variant-numeric:tabular-nums;max-width:14ch}
.buttons{display:flex;flex-wrap:wrap;gap:12px;margin:24px 0 8px}
button{min-height:44px;padding:8px 20px;font:inherit;font-weight:600;border-radius:6px;border:1px solid var(--accent);background:var(--accent);color:var(--on-accent);cursor:pointer}
button.secondary{background:var(--surface);color:var(--accent)}
button.link{min-height:24px;padding:0;border:0;background:none;color:var(--accent);text-decoration:underline}
.problem{margin:24px 0;padding:4px 16px;border:2px solid var(--bad);border-radius:6px}
.problem h2{margin-top:12px}
.problem a,.error{color:var(--bad);font-weight:600}
.error{margin:4px 0}
details{border-bottom:1px solid var(--line);padding:8px 0}
summary{cursor:pointer;font-weight:600;min-height:24px}
fieldset{border:0;margin:24px 0 0;padding:0}
.choice{display:flex;gap:12px;align-items:flex-start;margin:0;padding:12px 0;border-bottom:1px solid var(--line);font-weight:400}
.choice input{width:24px;height:24px;margin:0;flex:none;accent-color:var(--accent)}
.choice .muted{display:block}
.change{padding:0 8px;border:1px solid var(--accent);border-radius:10px;color:var(--accent);font-size:14px}
main.correctable:has(#email:valid,#passcode:valid,[name=account]:checked) :is(.problem,.error){display:none}
main.correctable input:valid{border:1px solid var(--line)}
dl{margin:16px 0}
dt{font-size:20px;line-height:1.3;font-weight:600;margin:24px 0 8px}
dd{margin:0}
.consents{list-style:none;padding:0}
.consents li{padding:12px 0;border-bottom:1px solid var(--line)}
.consents a{font-weight:600}
.consents .muted{display:block}
.history{list-style:none;padding:0;margin:0}
.history>li{padding:8px 0 8px 16px;border-left:2px solid var(--line)}
.detail{display:block;color:var(--muted);font-size:14px}
.notice{padding:8px 16px;background:var(--raised);border:1px solid var(--line);border-radius:6px;overflow-wrap:anywhere}
.addresses{margin:8px 0;padding:0 0 0 20px;columns:14rem}
@media (prefers-reduced-motion:no-preference){button{transition:opacity .1s}button:hover{opacity:.9}}
`
}
