import fc, { type Arbitrary } from 'fast-check'

/** Any Unicode character except U+0000 and surrogates, as a unit of strings. The unit `binary` of fast-check is similar, but keeps a table of a million characters in memory. */
export const anyCharacter: Arbitrary<string> = fc
  .integer({ min: 1, max: 0x10ffff })
  .map(
    (code) => String.fromCodePoint(code),
    (text) => {
      const code = String(text).codePointAt(0) ?? Number.NaN
      if (Number.isNaN(code) || String.fromCodePoint(code) !== text) throw new Error('no character')
      return code
    },
  )
  .filter((character) => character.isWellFormed())
