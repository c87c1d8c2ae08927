import { issuer } from '../test/consent/addresses.ts'
import { type Fields, openBrowser, readForm } from '../test/consent/browser.ts'
import type { ConsentCustomer } from './consent-customers.ts'
import type { Consents } from './consent-model.ts'
import { requireAvailable, untilAnswered } from './retry.ts'

/** A kill made it impossible to continue on the pages: the customer has to start again. */
export class Interrupted extends Error {}

/** The browser of a customer. It repeats a request that is not answered, at the other platform. */
export interface CustomerBrowser {
  /** Opens a page, and requires its title. */
  open(url: URL | string, title: RegExp): Promise<void>
  /** Submits the form of the page, and requires the title of the next one. */
  submit(action: string, fields: Fields, title: RegExp): Promise<void>
  /** Submits the form of the page without following its redirect. */
  post(action: string): Promise<{ readonly status: number; readonly location?: URL }>
  /** Follows a redirect to another site. Undefined if it does not lead to one. */
  leave(url: URL): Promise<URL | undefined>
  /** Enters the e-mail address and the passcode. */
  signIn(customer: ConsentCustomer, title: RegExp): Promise<void>
}

export function openCustomerBrowser(consents: Consents): CustomerBrowser {
  const { pair } = consents
  const browser = openBrowser(issuer, ...pair.ports)

  browser.repeatWith((send) =>
    untilAnswered('a page', async () => {
      const answer = await send()
      requireAvailable(answer.status)
      return answer
    }),
  )
  const send = (action: string, fields: Fields) => {
    const { url, text } = browser.page
    return browser.post(url, readForm(text, action, fields))
  }
  const requireTitle = (title: RegExp) => {
    const { status, text } = browser.page
    if (status !== 200 || !title.test(text))
      throw new Interrupted(`${status} instead of ${title}: ${/<h1[^>]*>([^<]*)/.exec(text)?.[1]}`)
  }
  const self: CustomerBrowser = {
    async open(url, title) {
      await browser.open(url)
      requireTitle(title)
    },
    async submit(action, fields, title) {
      const { location, url, status } = await send(action, fields)
      if (location === undefined) throw new Interrupted(`${action} got ${status}`)
      await browser.open(new URL(location, url))
      requireTitle(title)
    },
    async post(action) {
      const { status, location, url } = await send(action, {})
      return { status, ...(location !== undefined && { location: new URL(location, url) }) }
    },
    leave: browser.open,
    async signIn(customer, title) {
      const from = consents.passcodeCount()
      await self.submit('identify', { email: customer.email }, /Enter your one-time code/)
      const passcode = await consents.receivePasscode(customer, from)
      if (passcode === undefined) throw new Interrupted('no passcode')
      await self.submit('passcode', { passcode }, title)
    },
  }
  return self
}
