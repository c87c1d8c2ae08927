import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Texts whose contrast is sufficient, as `describeText` describes them. */
const readable = new Set<string>()

/**
 * What the rules of axe find on a page. The rule of contrast takes most of the time, so it only checks texts that
 * differ from all earlier ones of the process. Evaluated through the debugger, which the content security policy of the page does not restrict.
 */
export async function findViolations(page: Page): Promise<readonly string[]> {
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(axe)
  const { violations, passed }: Found = await page.evaluate(
    `(${runRules})(${JSON.stringify([...readable])})`,
  )
  for (const text of passed) readable.add(text)
  return violations
}

interface Found {
  readonly violations: readonly string[]
  readonly passed: readonly string[]
}

/** Contrast depends on the colour and size of a text and on the backgrounds behind it. */
const describeText = `(element) => {
  const backgrounds = []
  for (let behind = element; behind; behind = behind.parentElement) {
    const { backgroundColor, backgroundImage, opacity } = getComputedStyle(behind)
    backgrounds.push([backgroundColor, backgroundImage, opacity].join(' '))
  }
  const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element)
  const visible = backgrounds.filter((background) => background !== 'rgba(0, 0, 0, 0) none 1')
  return [color, fontSize, fontWeight, textShadow, ...visible].join('; ')
}`

const runRules = `async (readable) => {
  const describeText = ${describeText}
  const isText = (element) =>
    element.matches('input:not([type=checkbox], [type=radio]), select, textarea') ||
    [...element.childNodes].some(({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim())
  const other = [...document.body.querySelectorAll('*')]
    .filter((element) => isText(element) && !readable.includes(describeText(element)))
  const all = await axe.run({
    rules: { 'color-contrast': { enabled: false } },
    resultTypes: ['violations'],
  })
  const contrast = other.length === 0 ? { violations: [], passes: [] } : await axe.run(
    { include: other },
    { runOnly: ['color-contrast'], resultTypes: ['violations', 'passes'], elementRef: true },
  )
  return {
    violations: [...all.violations, ...contrast.violations].map(({ id, nodes }) =>
      id + ': ' + nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary).join(' | ')),
    passed: contrast.passes.flatMap(({ nodes }) => nodes.map(({ element }) => describeText(element))),
  }
}`
