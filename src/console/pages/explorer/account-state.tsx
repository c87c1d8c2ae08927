import { Badge } from '../../components/badge.tsx'
import type { HeldAccount } from './held-accounts.ts'

/** Whether an account is open, and whether the customer can share it. */
export function AccountState({
  account: { isOpen, isShareable },
}: {
  readonly account: Pick<HeldAccount, 'isOpen' | 'isShareable'>
}) {
  return (
    <>
      <Badge kind={isOpen ? 'good' : 'neutral'}>{isOpen ? 'Open' : 'Closed'}</Badge>
      {!isShareable && <Badge kind="warn">Not shareable</Badge>}
    </>
  )
}
