import { passcodeDigits, passcodeSeconds, resendSeconds } from '../passcodes.ts'
import { emailLengthMax } from '../sign-in.ts'
import { type Html, html } from './html.ts'
import { type Brand, formatTime, type Page, type Problem, renderForm } from './layout.ts'

export interface SignInPage {
  readonly brand: Brand
  readonly token: string
  readonly problem?: Problem | undefined
}

/** What was sent, the same for every e-mail address. */
export interface SentPasscode {
  readonly email: string
  readonly expires: Temporal.Instant
  readonly shown?: ShownPasscode | undefined
}

/** In a demonstration: the passcode that was sent last to the address, or else addresses that passcodes are sent to. */
export type ShownPasscode =
  | { readonly passcode: string }
  | { readonly addresses: readonly string[] }

export function renderEmailForm(
  { brand, token, problem }: SignInPage,
  email: string,
  buttons: Html,
): Html {
  return renderForm(
    token,
    html`${renderField(
      'email',
      `Your e-mail address at ${brand.name}`,
      html`type="email" value="${email}" autocomplete="email" maxlength="${emailLengthMax}" pattern="(?=.{1,${emailLengthMax}}$)[^\\s@]+@[^\\s@]+" spellcheck="false"`,
      problem,
    )}
<p class="muted">${brand.name} sends a one-time code to the phone number that it has for you.</p>
${buttons}`,
  )
}

/** Has the same text for every e-mail address, whether or not it is known. */
export function renderPasscode(
  { brand, token, problem }: SignInPage,
  { email, expires, shown }: SentPasscode,
  buttons: Html,
): Page {
  return {
    title: 'Enter your one-time code',
    problem,
    body: html`<p>If ${brand.name} has a customer with the address <strong>${email}</strong>, we sent a ${passcodeDigits}-digit code to their phone.
It is valid for ${passcodeSeconds / 60} minutes, until ${formatTime(expires, brand)}.</p>
${shown && renderShown(shown, email)}
${renderForm(
  token,
  html`${renderField(
    'passcode',
    `${passcodeDigits}-digit code`,
    html`type="text" class="code" inputmode="numeric" autocomplete="one-time-code" maxlength="10" pattern="[\\s\\-]*(\\d[\\s\\-]*){${passcodeDigits}}"`,
    problem,
  )}
${buttons}
<h2>No code?</h2>
<p>You can request another one after ${resendSeconds} seconds.</p>
<p><button type="submit" name="action" value="resend" class="link">Send a new code</button></p>
<p><button type="submit" name="action" value="restart" class="link">Use another e-mail address</button></p>`,
)}`,
  }
}

function renderShown(shown: ShownPasscode, email: string): Html {
  if ('passcode' in shown) {
    return html`<p class="notice">Demonstration only: the code is <strong>${shown.passcode}</strong>. In production it is sent to the phone.</p>`
  }
  return html`<div class="notice">
<p>Demonstration only: <strong>no message was sent</strong>, because no customer with a phone number has the address <strong>${email}</strong>. In production, this page does not say so.</p>
${
  shown.addresses.length > 0 &&
  html`<p>These addresses exist:</p>
<ul class="addresses">${shown.addresses.map((address) => html`<li>${address}</li>`)}</ul>`
}
</div>`
}

function renderField(
  id: string,
  label: string,
  attributes: Html,
  problem: Problem | undefined,
): Html {
  const text = problem?.field === id ? problem.text : undefined
  return html`<label for="${id}">${label}</label>
${text !== undefined && html`<p class="error" id="${id}-error">${text}</p>`}
<input id="${id}" name="${id}" required ${attributes}${
    text !== undefined && html` aria-invalid="true" aria-describedby="${id}-error"`
  }>`
}
