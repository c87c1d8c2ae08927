import { useState } from 'preact/hooks'
import { StateBadge } from '../../components/badge.tsx'
import { SecondaryButton } from '../../components/button.tsx'
import { Loaded } from '../../components/states.tsx'
import { useResource } from '../../resource.ts'
import type { AccountProps } from './account-props.ts'
import { findReasons } from './reasons.ts'

type Subject = Pick<AccountProps, 'customerId' | 'accountId' | 'query'>

/** Why a third party or this page does not show something of an account. It asks when it is opened. */
export function Why(subject: Subject) {
  const [isAsked, setAsked] = useState(false)
  return (
    <section class="card" aria-label="Why is something not here?">
      <h2>Why is something not here?</h2>
      {isAsked ? (
        <Reasons {...subject} />
      ) : (
        <SecondaryButton onClick={() => setAsked(true)}>Find out</SecondaryButton>
      )}
    </section>
  )
}

function Reasons(subject: Subject) {
  const { customerId, accountId, query } = subject
  const reasons = useResource(
    JSON.stringify([customerId, accountId, query.toString()]),
    (signal) => findReasons(subject, signal),
    { keepValue: true },
  )
  return (
    <Loaded resource={reasons}>
      {(found) => (
        <ul class="checks-list">
          {found.map(({ label, text }) => (
            <li key={text}>
              <StateBadge label={label} />
              <div>{text}</div>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  )
}
