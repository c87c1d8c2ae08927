import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach } from 'node:test'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { launchOptions } from '../client/browser.ts'
import { createScope, fileScope, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findFreePort } from '../support/free-port.ts'
import { type Flags, startServer } from '../support/process.ts'
import { giveUpMs } from '../support/until.ts'
import { findViolations } from './accessibility.ts'

/** The file of a database with the data of the demo, if the test run has one. */
const filledDatabase = process.env['DEMO_DATABASE_FOR_TESTS']
const screenshots = process.env['SCREENSHOTS']

/** The widths and colour schemes that pages are looked at in: each once, or for screenshots in all combinations. */
const views =
  screenshots === undefined
    ? ([
        { width: 360, colorScheme: 'dark' },
        { width: 768, colorScheme: 'light' },
        { width: 1280, colorScheme: 'light' },
      ] as const)
    : [360, 768, 1280].flatMap((width) =>
        (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
      )

export interface Demo {
  /** The address of Example Budget. */
  readonly budget: string
  /** The address of the platform. */
  readonly platform: string
  /** The address of the provider. */
  readonly provider: string
  readonly database: string
  /** Everything that was printed. */
  output(): string
  /** Opens a page with cookies of its own. Errors on the console fail the test when `check` is called. */
  open(options?: BrowserContextOptions): Promise<Page>
  /** Stops the demo. It starts again on the same ports and with the same database. */
  stop(): Promise<void>
  start(): Promise<void>
}

/** One for all demos of the process. */
let browser: Promise<Browser> | undefined

/** Tests close their pages at their end: the pages that a failed test leaves open show why it failed. */
afterEach(async (context) => {
  if (!('passed' in context) || context.passed) return
  const pages = ((await browser)?.contexts() ?? []).flatMap((opened) => opened.pages())
  for (const page of pages) {
    process.stderr.write(`${page.url()}\n${await page.locator('body').innerText()}\n\n`)
  }
})

/** A demo in a process of its own, and a browser. `prepare` may fill its database before it starts. */
export async function openDemo(
  outer: Scope,
  prepare: (database: string) => Promise<void> = async () => {},
  flags: Flags = {},
): Promise<Demo> {
  const scope = createScope(outer)
  const file = join(await temporaryFolder(scope), 'demo.db')
  if (filledDatabase !== undefined) {
    for (const suffix of ['', '-replay']) copyFileSync(filledDatabase + suffix, file + suffix)
  }
  const database = `sqlite:${file}`
  await prepare(database)
  const port = String(await findFreePort(4))
  const start = () =>
    startServer(scope, ['demo'], { database, port, ...flags }, { ready: /Ctrl-C/ })
  let server = await start()
  browser ??= launchBrowser()
  const opened = await browser
  const find = (role: string) =>
    new RegExp(`^${role} +(\\S+)`, 'm').exec(server.stdout())?.[1] ?? assert.fail(server.output())
  return {
    budget: find('budget'),
    platform: find('platform'),
    provider: find('provider'),
    database,
    output: () => server.stdout(),
    async open(options = {}) {
      const context = await opened.newContext({
        viewport: { width: 1280, height: 900 },
        ...options,
      })
      const page = await context.newPage()
      page.setDefaultTimeout(giveUpMs)
      return page
    },
    async stop() {
      await server.stop()
    },
    async start() {
      server = await start()
    },
  }
}

async function launchBrowser(): Promise<Browser> {
  const launched = await chromium.launch(launchOptions())
  fileScope.after(() => launched.close())
  return launched
}

/** What axe finds on the page, in both colour schemes, and whether it scrolls sideways at three widths. Takes screenshots if SCREENSHOTS is a folder. */
export async function check(page: Page, name: string): Promise<void> {
  for (const { width, colorScheme } of views) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    assert.equal(overflow, 0, `${name} scrolls sideways at ${width} px`)
    assert.deepEqual(await findMisaligned(page), [], `${name} at ${width} px`)
    assert.deepEqual(await findCutTables(page), [], `${name} at ${width} px`)
    if (screenshots !== undefined) {
      mkdirSync(screenshots, { recursive: true })
      const path = join(screenshots, `${name}-${width}-${colorScheme}.png`)
      await page.screenshot({ path, fullPage: true })
    }
    if (width === 768) continue
    assert.deepEqual(await findViolations(page), [], `${name} at ${width} px, ${colorScheme}`)
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
}

/** The tables that are wider than their place, so that columns are out of view. */
async function findCutTables(page: Page): Promise<readonly string[]> {
  return page.evaluate(`[...document.querySelectorAll('.table-rows')]
    .filter((place) => place.firstElementChild.offsetWidth > place.clientWidth + 1)
    .map((place) => place.getAttribute('aria-label') + ' is ' + place.firstElementChild.offsetWidth + ' in ' + place.clientWidth)`)
}

/** The controls of a form that are beside others but do not begin and end at the same height. */
async function findMisaligned(page: Page): Promise<readonly string[]> {
  return page.evaluate(`[...document.querySelectorAll('.fields')].flatMap((fields) => {
    const controls = [...fields.querySelectorAll('.field > :is(input, select)')]
      .map((control) => ({ name: control.labels[0].innerText, box: control.getBoundingClientRect() }))
    return controls.flatMap((one) => controls
      .filter(({ box }) => box.top < one.box.bottom && one.box.top < box.bottom)
      .filter(({ box }) => box.top !== one.box.top || box.bottom !== one.box.bottom)
      .map(({ name, box }) => [one.name, one.box.top, one.box.bottom, name, box.top, box.bottom].join(' ')))
  })`)
}

/** Presses Tab until the control with this text or label has the focus. */
export async function focusOn(page: Page, text: string, steps = 120): Promise<void> {
  const expression = `(() => {
    const { activeElement, body } = document
    if (activeElement === body) return ''
    return activeElement.getAttribute('aria-label') ?? (activeElement.labels?.[0] ?? activeElement).innerText ?? ''
  })()`
  for (let count = 0; count < steps; count += 1) {
    await page.keyboard.press('Tab')
    if (String(await page.evaluate(expression)).includes(text)) return
  }
  assert.fail(`no focus on ${text}`)
}

export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click()
}

/** From Example Budget to the page with the passcode. */
export async function requestPasscode({ open, budget }: Demo, email: string): Promise<Page> {
  const page = await open()
  await page.goto(budget)
  await press(page, 'Connect Demo Bank')
  await page.getByLabel('Your e-mail address at Demo Bank').fill(email)
  await press(page, 'Continue')
  return page
}

/** The code that the page shows. */
export async function readPasscode(page: Page): Promise<string> {
  const text = await page.locator('.notice').innerText()
  return /\b\d{6}\b/.exec(text)?.[0] ?? assert.fail(text)
}

export async function enterPasscode(page: Page): Promise<void> {
  await page.getByLabel('6-digit code').fill(await readPasscode(page))
  await press(page, 'Continue')
}

/** From the page with the passcode to Example Budget with the data of all accounts. */
export async function shareAll(page: Page): Promise<void> {
  await enterPasscode(page)
  await press(page, 'Select all accounts')
  await press(page, 'Continue')
  await press(page, 'Share')
  await page.getByRole('heading', { name: 'What happened' }).waitFor()
}

/** A wrong code of the same length. */
export function mistype(passcode: string): string {
  return passcode.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))
}
