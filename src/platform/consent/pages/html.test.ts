import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { html } from './html.ts'

describe('the text of a page', () => {
  it('has values escaped, and those of templates once', () => {
    const items = ['<a>', '"b"'].map((each) => html`<li>${each}</li>`)

    assert.equal(html`<ul>${items}</ul>`.html, '<ul><li>&lt;a&gt;</li><li>&quot;b&quot;</li></ul>')
  })

  it('has no HTML of a value that has the form of a template', () => {
    const forged = JSON.parse('{ "html": "<b>forged</b>" }')

    for (const value of [forged, [forged], [[forged]]]) {
      assert.ok(!html`<p>${value}</p>`.html.includes('<b>'))
    }
  })
})
