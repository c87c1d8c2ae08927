import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { escapeInvisible, escapeInvisibleInLines } from './characters.ts'

describe('escaping invisible characters', () => {
  for (const [name, text, shown] of [
    ['a terminal escape sequence', '\u001b[2J', '\\u001b[2J'],
    ['a line break', 'a\r\nb', 'a\\u000d\\u000ab'],
    ['a C1 control character', '\u009b2J', '\\u009b2J'],
    ['a right-to-left override', 'a\u202eb', 'a\\u202eb'],
    ['a right-to-left isolate', '\u2067b\u2069', '\\u2067b\\u2069'],
    ['an Arabic letter mark', '\u061c', '\\u061c'],
    ['a zero-width space', 'ad\u200bmin', 'ad\\u200bmin'],
    ['a byte order mark', '\ufeffa', '\\ufeffa'],
    ['a soft hyphen', 'a\u00adb', 'a\\u00adb'],
    ['a line separator', 'a\u2028b', 'a\\u2028b'],
    ['a Hangul filler', 'a\u3164', 'a\\u3164'],
    ['a variation selector', 'a\ufe0f', 'a\\ufe0f'],
    ['a tag character', 'a\u{e0041}', 'a\\udb40\\udc41'],
    ['a lone surrogate', 'a\ud800', 'a\\ud800'],
  ] as const) {
    it(`escapes ${name}`, () => {
      assert.equal(escapeInvisible(text), shown)
    })
  }

  it('keeps every visible character', () => {
    const text = 'Zoë Ångström, 李小龍, مريم, 👍 1\u00a0000 €'

    assert.equal(escapeInvisible(text), text)
  })

  it('keeps line breaks and tabs in text of several lines', () => {
    assert.equal(escapeInvisibleInLines('a\n\tb\u202e\r\n'), 'a\n\tb\\u202e\\u000d\n')
  })

  it('keeps JSON valid and its value unchanged', () => {
    const value = { 'a\u202e': ['\u200b', '\u{e0041}', '\ud800', 'line\nbreak'] }

    const shown = escapeInvisibleInLines(JSON.stringify(value, null, 2))

    assert.deepEqual(JSON.parse(shown), value)
    assert.match(shown, /^[\n -~]+$/)
  })
})
