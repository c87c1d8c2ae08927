/**
 * The look of every page: the console, the pages of the consent, Example Budget and the report of the conformance
 * tester. A test checks the contrast of each pair of colours that is used.
 */
export const colours = {
  light: {
    page: '#f7f8fa',
    surface: '#ffffff',
    raised: '#ffffff',
    sunken: '#fafbfc',
    line: '#e4e7ec',
    'line-strong': '#cfd5de',
    control: '#808a97',
    ink: '#16202c',
    muted: '#5b6776',
    accent: '#0b6e62',
    'accent-soft': '#e3f3f0',
    'on-accent': '#ffffff',
    good: '#177245',
    'good-soft': '#e5f5ec',
    warn: '#8a5a00',
    'warn-soft': '#fdf3dc',
    bad: '#b42318',
    'bad-soft': '#fdebe9',
    'on-bad': '#ffffff',
    'series-2': '#7a5cc9',
    'series-3': '#b4661f',
  },
  dark: {
    page: '#0d1117',
    surface: '#151b23',
    raised: '#1c232d',
    sunken: '#181f28',
    line: '#2a323d',
    'line-strong': '#3a4452',
    control: '#6d7886',
    ink: '#e6eaf0',
    muted: '#97a3b3',
    accent: '#35b8a4',
    'accent-soft': '#10312d',
    'on-accent': '#04211d',
    good: '#4cc38a',
    'good-soft': '#10291d',
    warn: '#e0b050',
    'warn-soft': '#2e2410',
    bad: '#f97066',
    'bad-soft': '#3a1714',
    'on-bad': '#2b0a07',
    'series-2': '#a993ea',
    'series-3': '#e0a05f',
  },
} as const

export type Theme = keyof typeof colours
export type Colours = Readonly<Record<string, string>>

/** What both themes share: type, radii and spacing. */
const shared = {
  font: 'Inter, system-ui, sans-serif',
  mono: 'ui-monospace, "JetBrains Mono", Menlo, monospace',
  'text-label': '12.5px',
  'text-table': '13px',
  'text-console': '14px',
  'text-reading': '16px',
  'text-title': '20px',
  'text-figure': '22px',
  'weight-normal': '400',
  'weight-medium': '550',
  'weight-bold': '650',
  'space-1': '4px',
  'space-2': '8px',
  'space-3': '12px',
  'space-4': '16px',
  'space-5': '24px',
  'space-6': '32px',
  'radius-small': '6px',
  radius: '8px',
  shadow: '0 1px 2px rgb(16 24 40 / 6%), 0 1px 3px rgb(16 24 40 / 8%)',
} as const

/** The custom properties of a stylesheet. `change` replaces colours, for example by that of a brand. */
export function renderTokens(change: (theme: Theme) => Colours = () => ({})): string {
  const properties = (values: Colours) =>
    Object.entries(values)
      .map(([name, value]) => `--${name}:${value}`)
      .join(';')
  return `:root{color-scheme:light dark;${properties({ ...shared, ...colours.light, ...change('light') })}}
@media (prefers-color-scheme:dark){:root{${properties({ ...colours.dark, ...change('dark') })}}}
`
}

/** The font at a URL. Until it is loaded, text is shown in the font of the system. */
export function renderFontFace(url: string): string {
  return `@font-face{font-family:Inter;font-style:normal;font-display:swap;font-weight:100 900;src:url(${url}) format("woff2")}
`
}
