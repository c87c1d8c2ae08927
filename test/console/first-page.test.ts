import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { bundleConsole } from '../../src/server/bundle-console.ts'

/** What a browser loads before it shows the first page. */
const bytesMax = 150_000

describe('the first page of the console', () => {
  it('is less than 150 kB compressed, with its styles and its font', async () => {
    const files = new Map((await bundleConsole()).map(({ name, content }) => [name, content]))
    const find = (pattern: RegExp) =>
      [...files.keys()].find((name) => pattern.test(name)) ?? assert.fail(String(pattern))
    const loaded = new Set([find(/^style-.*\.css$/), find(/^inter-.*\.woff2$/)])
    const load = (name: string): void => {
      if (loaded.has(name)) return
      loaded.add(name)
      const text = Buffer.from(files.get(name) ?? assert.fail(name)).toString()
      // Files that are imported by a call are loaded later.
      for (const [, imported = ''] of text.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) {
        load(imported)
      }
    }
    load(find(/^console-.*\.js$/))

    assert.ok(loaded.size > 3)
    const sizes = [...loaded].map((name) => gzipSync(files.get(name) ?? '').length)
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(bytes < bytesMax, `${bytes} bytes`)
  })
})
