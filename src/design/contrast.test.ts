import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { adjustAccent, contrast, contrastMin, textOn } from './contrast.ts'
import { colours, renderTokens, type Theme } from './tokens.ts'

type Name = keyof (typeof colours)['light']

const themes = Object.keys(colours) as Theme[]
const surfaces: readonly Name[] = ['page', 'surface', 'raised', 'sunken']
/** Text, and what it is written on besides the surfaces. */
const texts: readonly (readonly [text: Name, ...backgrounds: Name[]])[] = [
  ['ink', 'accent-soft', 'good-soft', 'warn-soft', 'bad-soft'],
  ['muted', 'accent-soft', 'good-soft', 'warn-soft', 'bad-soft'],
  ['accent', 'accent-soft'],
  ['good', 'good-soft'],
  ['warn', 'warn-soft'],
  ['bad', 'bad-soft'],
]
const buttons: readonly (readonly [text: Name, button: Name])[] = [
  ['on-accent', 'accent'],
  ['on-bad', 'bad'],
]
/** WCAG 2.2 AA requires it of the borders of controls and of what a chart draws. */
const graphicsMin = 3
const graphics: readonly Name[] = [
  ...(['control', 'accent', 'good', 'warn', 'bad', 'muted', 'series-2', 'series-3'] as const),
]

describe('the colours of all pages', () => {
  for (const theme of themes) {
    const ratio = (first: Name, second: Name) =>
      contrast(colours[theme][first], colours[theme][second])

    it(`are readable as text in ${theme}`, () => {
      for (const [text, ...others] of texts) {
        for (const background of [...surfaces, ...others]) {
          const found = ratio(text, background)
          assert.ok(found >= contrastMin, `${text} on ${background}: ${found}`)
        }
      }
      for (const [text, button] of buttons) assert.ok(ratio(text, button) >= contrastMin, button)
    })

    it(`are visible as borders of controls and in charts in ${theme}`, () => {
      for (const graphic of graphics) {
        for (const surface of surfaces) {
          const found = ratio(graphic, surface)
          assert.ok(found >= graphicsMin, `${graphic} on ${surface}: ${found}`)
        }
      }
    })

    it(`make the colour of any brand readable in ${theme}`, () => {
      for (const brand of ['#0b5fff', '#ffff00', '#000000', '#ffffff', '#808080', '#e4002b']) {
        const accent = adjustAccent(brand, theme)
        for (const surface of surfaces) {
          assert.ok(contrast(accent, colours[theme][surface]) >= contrastMin, `${brand} ${surface}`)
        }
        assert.ok(contrast(accent, textOn(accent)) >= contrastMin, brand)
      }
    })
  }

  it('are all compared, except lines that separate parts of a page', () => {
    const compared = new Set([...surfaces, ...graphics, ...texts.flat(), ...buttons.flat()])
    const others = Object.keys(colours.light).filter((name) => !compared.has(name as Name))
    assert.deepEqual(others, ['line', 'line-strong'])
  })

  it('are the same in light and dark by name', () => {
    assert.deepEqual(Object.keys(colours.light), Object.keys(colours.dark))
    assert.match(renderTokens(), /--ink:#16202c.*prefers-color-scheme:dark.*--ink:#e6eaf0/s)
  })
})
