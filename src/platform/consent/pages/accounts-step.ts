import type { AccountChoice, ExclusionReason } from '../account-choice.ts'
import type { CustomerAccount } from '../account-details.ts'
import { groupAccounts } from './account-groups.ts'
import { describeUnavailable } from './consent-history.ts'
import { type Html, html } from './html.ts'
import {
  type Page,
  renderButton,
  renderButtons,
  renderForm,
  renderItems,
  renderStepButtons,
} from './layout.ts'
import { countAccounts, jointNotice, renderAccountName, type StepPage } from './steps.ts'

interface ShownChoice extends AccountChoice {
  readonly selected: ReadonlySet<string>
}

export function renderAccountsStep(page: StepPage, choice: ShownChoice): Page {
  const { asked, token, problem } = page
  const { offered, selected, earlier } = choice
  const groups = groupAccounts(offered)
  const [first] = groups.flatMap(({ accounts }) => accounts)
  const renderChoice = (account: CustomerAccount) => {
    const isShared = earlier?.accountIds.includes(account.id)
    return html`<label class="choice"><input type="checkbox" name="account" value="${account.id}"${
      account === first &&
      html` id="accounts"${problem && html` aria-describedby="accounts-error"`}`
    }${selected.has(account.id) && html` checked`}>
<span>${renderAccountName(account)}${isShared && html`<span class="muted">Shared with ${asked.thirdParty} until now</span>`}</span></label>`
  }
  return {
    title: `Choose the accounts to share with ${asked.thirdParty}`,
    step: 3,
    problem,
    // A form of its own: in the other one, Enter must not press this button.
    body: html`${offered.length > 1 && renderForm(token, renderButton(labelAll(offered), 'select-all', 'link'))}
${renderForm(
  token,
  html`${problem && html`<p class="error" id="accounts-error">${problem.text}</p>`}
${groups.map(
  ({ name, accounts }) =>
    html`<fieldset><legend>${name}</legend>${accounts.map(renderChoice)}</fieldset>`,
)}
${offered.length === 0 && html`<p id="accounts">You have no other account that can be shared.</p>`}
${offered.some(({ isJoint }) => isJoint) && html`<p>${jointNotice}</p>`}
${renderKept(page, choice)}
${renderStepButtons(asked.thirdParty, renderButton('Continue', 'accounts'))}`,
)}
${renderExcluded(page, choice)}`,
  }
}

/** The customer has nothing to select. */
export function renderNoAccounts(page: StepPage, choice: AccountChoice): Page {
  const { brand, asked, token, problem } = page
  return {
    title: 'You have no account to share',
    step: 3,
    problem,
    body: html`<p id="accounts">${asked.thirdParty} asks for data of accounts, and you have none at ${brand.name} that can be shared with it. Nothing was shared.</p>
${renderForm(token, renderButtons(renderButton(`Return to ${asked.thirdParty}`, 'no-accounts')))}
${renderExcluded(page, choice)}`,
  }
}

function labelAll(offered: readonly CustomerAccount[]): string {
  const areOpen = offered.every(({ isOpen }) => isOpen !== false)
  return areOpen ? 'Select all accounts' : 'Select all open accounts'
}

function renderKept(
  { brand, asked: { thirdParty } }: StepPage,
  { kept, keptAccountIds, states }: AccountChoice,
): Html | false {
  const named = new Set(kept.map(({ id }) => id))
  const unnamed = keptAccountIds.filter((id) => !named.has(id))
  const texts = describeUnavailable(brand)
  const describe = (id: string) => texts[states.get(id) ?? 'available'] ?? ''
  return (
    keptAccountIds.length > 0 &&
    html`<h2>Not available now</h2>
<p>${countAccounts(keptAccountIds.length)} that you agreed to share with ${thirdParty} before. This does not change.</p>
${renderItems([
  ...kept.map((account) => html`${renderAccountName(account)} ${describe(account.id)}`),
  ...[...Map.groupBy(unnamed, describe)].map(
    ([text, ids]) =>
      html`${countAccounts(ids.length)} without a name at the moment${text && `: ${text}`}`,
  ),
])}`
  )
}

function renderExcluded({ brand, asked }: StepPage, { excluded }: AccountChoice): Html {
  const texts: Readonly<Record<ExclusionReason, string>> = {
    not_asked: `${asked.thirdParty} does not ask for data of these accounts.`,
    closed: `Closed: ${brand.name} does not share these accounts any more.`,
    not_shareable: `${brand.name} cannot share these accounts now. For help, contact ${brand.name}.`,
  }
  const reasons = Object.keys(texts) as ExclusionReason[]
  return html`${excluded.length > 0 && html`<h2>Cannot be shared</h2>`}
${reasons.map((reason) => {
  const own = excluded.filter((account) => account.reason === reason)
  return html`${own.length > 0 && html`<p>${texts[reason]}</p>${renderItems(own.map(renderAccountName))}`}`
})}
<p class="muted">${brand.name} cannot share an account that is not listed here. To find out why, contact ${brand.name}.</p>`
}
