import type { HttpApp } from '../../src/http/app.ts'
import { changeAnswers } from '../support/change-answers.ts'
import { bankingAccount, customer } from '../support/lines.ts'
import type { Line } from '../support/load.ts'
import type { Browser } from './browser.ts'
import { type ConsentPlatform, findPasscode, type TestCustomer } from './platform.ts'
import { cdsClaims, registerThirdParty, type TestThirdParty } from './third-party.ts'

/** C2 does not list accounts whose ID says so. */
export function hideAccounts(app: HttpApp): void {
  changeAnswers(app, ({ routeOptions }, { statusCode }, body) => {
    if (routeOptions.config.operation?.ref !== 'C2' || statusCode !== 200) return body
    const { accounts } = JSON.parse(body)
    return JSON.stringify({
      accounts: accounts.filter(({ id }: { id: string }) => !id.endsWith('-hidden')),
    })
  })
}

let customerCount = 0

/** A customer of its own for each test: passcodes are limited. */
export async function addCustomer(
  platform: ConsentPlatform,
  makeAccounts: (id: string) => readonly Line[] = () => [],
): Promise<TestCustomer> {
  customerCount += 1
  const id = `k${customerCount}`
  const email = `${id}@example.com`
  const record = { name: `Customer ${id}`, email, phoneNumber: '+61400000009' }
  await platform.provider.load([customer(id, record), ...makeAccounts(id)])
  return { id, email, accounts: [`${id}-1`, `${id}-2`] }
}

const savings = { productName: 'Smart Saver', productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS' }

export function makeAccount(
  id: string,
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
) {
  const all = { displayName: 'Everyday', ...savings, maskedNumber: `xxxx ${name}`, ...fields }
  return bankingAccount(`${id}-${name}`, { [id]: true }, all)
}

export async function openFlow(
  platform: ConsentPlatform,
  thirdParty: TestThirdParty,
  parameters: Record<string, string> = cdsClaims(86_400),
) {
  const started = await thirdParty.start(parameters)
  const browser = platform.browse()
  await browser.open(started.url)
  return { started, browser }
}

/** Signs the customer in, however the next page looks. */
export async function signIn(
  browser: Browser,
  platform: ConsentPlatform,
  { id, email }: TestCustomer,
) {
  await browser.submit('identify', { email })
  await browser.submit('passcode', { passcode: findPasscode(platform.passcodes, id) })
}

/** To the page with the accounts, of a new third party. */
export async function chooseAccounts(
  platform: ConsentPlatform,
  makeAccounts: (id: string) => readonly Line[],
  fields: Parameters<typeof registerThirdParty>[2] = {},
) {
  const thirdParty = await registerThirdParty(platform, fields.profile, fields)
  const scope = (fields.scopes ?? []).join(' ')
  const parameters = { ...cdsClaims(86_400), ...(scope !== '' && { scope }) }
  const { started, browser } = await openFlow(platform, thirdParty, parameters)
  const chosen = await addCustomer(platform, makeAccounts)
  await signIn(browser, platform, chosen)
  return { thirdParty, started, browser, customer: chosen }
}

/** Without tags, as a customer reads it. */
export const readText = ({ page }: Browser) =>
  page.text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

/** The label of a choice by the account. */
export const findChoice = ({ page }: Browser, id: string) =>
  page.text.split('<label').find((part) => part.includes(`value="${id}"`)) ?? ''
