import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { contrast } from '../../src/platform/consent/pages/stylesheet.ts'

const css = readFileSync(new URL('../../src/console/styles/base.css', import.meta.url), 'utf8')
const [light = '', dark = ''] = [...css.matchAll(/:root \{([^}]*)\}/g)].map(([, body = '']) => body)

function readColours(body: string): Map<string, string> {
  return new Map(
    [...body.matchAll(/--([\w-]+): (#[\da-f]{6});/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  )
}

describe('the colours of the console', () => {
  for (const [theme, body] of Object.entries({ light, dark })) {
    const colours = readColours(body)
    const find = (name: string) => colours.get(name) ?? assert.fail(`no colour ${name}`)

    it(`are readable as text in ${theme}`, () => {
      for (const text of ['ink', 'muted', 'accent', 'good', 'warn', 'bad']) {
        for (const surface of ['surface', 'raised']) {
          const ratio = contrast(find(text), find(surface))
          assert.ok(ratio >= 4.5, `${text} on ${surface}: ${ratio}`)
        }
      }
      assert.ok(contrast(find('on-accent'), find('accent')) >= 4.5)
      assert.ok(contrast(find('surface'), find('bad')) >= 4.5)
    })

    it(`are visible as borders of controls in ${theme}`, () => {
      for (const border of ['control', 'accent']) {
        assert.ok(contrast(find(border), find('surface')) >= 3, border)
      }
    })
  }
})
