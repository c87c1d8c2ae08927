import { passcodeDigits, passcodeSeconds, resendSeconds } from '../passcodes.ts'
import { emailLengthMax } from '../sign-in.ts'
import { type Html, html } from './html.ts'
import { type Brand, formatTime, type Problem } from './layout.ts'

export function renderEmailField(brand: Brand, email: string, problem: Problem | undefined): Html {
  const isInvalid = problem?.field === 'email'
  return html`<label for="email">Your e-mail address at ${brand.name}</label>
${problem && isInvalid && html`<p class="error" id="email-error">${problem.text}</p>`}
<input type="email" id="email" name="email" value="${email}" autocomplete="email" maxlength="${emailLengthMax}" spellcheck="false"${
    isInvalid && html` aria-invalid="true" aria-describedby="email-error"`
  }>
<p class="muted">${brand.name} sends a one-time code to the phone number that it has for you.</p>`
}

/** What was sent, the same for every e-mail address. */
export interface SentPasscode {
  readonly email: string
  readonly expires: Temporal.Instant
  /** In a demonstration. */
  readonly shown?: string | undefined
}

export function renderSentPasscode(brand: Brand, { email, expires, shown }: SentPasscode): Html {
  return html`<p>If ${brand.name} has a customer with the address <strong>${email}</strong>, we sent a ${passcodeDigits}-digit code to their phone.
It is valid for ${passcodeSeconds / 60} minutes, until ${formatTime(expires, brand)}.</p>
${shown !== undefined && html`<p class="notice">Demonstration only: the code is <strong>${shown}</strong>. In production it is sent to the phone.</p>`}`
}

export function renderPasscodeField(problem: Problem | undefined): Html {
  const isInvalid = problem?.field === 'passcode'
  return html`<label for="passcode">${passcodeDigits}-digit code</label>
${problem && isInvalid && html`<p class="error" id="passcode-error">${problem.text}</p>`}
<input type="text" class="code" id="passcode" name="passcode" inputmode="numeric" autocomplete="one-time-code" maxlength="10"${
    isInvalid && html` aria-invalid="true" aria-describedby="passcode-error"`
  }>`
}

/** The other buttons of the page with the passcode. */
export function renderResend(): Html {
  return html`<h2>No code?</h2>
<p>You can request another one after ${resendSeconds} seconds.</p>
<p><button type="submit" name="action" value="resend" class="link">Send a new code</button></p>
<p><button type="submit" name="action" value="restart" class="link">Use another e-mail address</button></p>`
}
