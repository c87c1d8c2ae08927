import { useState } from 'preact/hooks'
import type { AddressKind, ListedSession } from '../../../contract/index.ts'
import { endSession, listSessions } from '../../../contract/operations/access.ts'
import { call, read } from '../../api.ts'
import { ActorName } from '../../components/actor-name.tsx'
import { Badge } from '../../components/badge.tsx'
import { LinkButton, SecondaryButton } from '../../components/button.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Loaded } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Ago, Moment, nameZone } from '../../components/time.tsx'
import { formatCount } from '../../labels.ts'
import { useResource } from '../../resource.ts'
import { hasScope, toUserKey, userKey } from '../../session.ts'

const addressLabels: Readonly<Record<AddressKind, string>> = {
  this_machine: 'This machine',
  private_network: 'Private network',
  internet: 'Internet',
}

/** The browsers that are signed in: those of the user, or all of them. */
export function View() {
  const seesAll = hasScope('operations.read')
  const resource = useResource('sessions', (signal) => read(listSessions, { signal }))
  const [ending, setEnding] = useState<ListedSession>()
  const end = async ({ session_id: sessionId }: ListedSession) => {
    await call(endSession, { params: { sessionId } })
    resource.reload()
  }
  return (
    <>
      <PageHeading
        title="Sessions"
        about={`Browsers that are signed in${seesAll ? '' : ' in your name'}. A session ends after 8 hours, and half an hour after its last use.`}
      >
        <SecondaryButton onClick={resource.reload}>Refresh</SecondaryButton>
      </PageHeading>
      <Loaded resource={resource}>
        {({ data, total }) => (
          <Table
            caption="Sessions"
            columns={createColumns(setEnding)}
            rows={data}
            rowKey={({ session_id }) => session_id}
          >
            <div class="pager">
              {formatCount(total)} {total === 1 ? 'session' : 'sessions'}
              {data.length < total && `, of which the ${formatCount(data.length)} used last`}
            </div>
          </Table>
        )}
      </Loaded>
      {!seesAll && (
        <p class="muted">
          With the scope <code>operations.read</code>, the sessions of all users are listed here.
        </p>
      )}
      {ending && (
        <Confirm
          title="End this session?"
          action="End session"
          isDangerous
          onConfirm={() => end(ending)}
          onClose={() => setEnding(undefined)}
        >
          <p>
            The browser in which <ActorName actor={ending.user} /> signed in must sign in again. It
            keeps what was entered and not saved.
          </p>
        </Confirm>
      )}
    </>
  )
}

function createColumns(onEnd: (session: ListedSession) => void): Column<ListedSession>[] {
  const mayEnd = ({ user, is_own }: ListedSession) =>
    !is_own && (hasScope('operations.write') || toUserKey(user) === userKey.value)
  return [
    {
      title: 'User',
      isHeading: true,
      cell: ({ user, is_own }) => (
        <>
          <ActorName actor={user} /> {is_own && <Badge kind="good">This browser</Badge>}
        </>
      ),
    },
    {
      title: 'Signed in',
      cell: ({ user }) =>
        user.issuer === undefined ? 'As an API client' : 'At the identity provider',
    },
    { title: 'From', phone: 'hidden', cell: ({ address }) => addressLabels[address] },
    {
      title: `Since (${nameZone()})`,
      phone: 'hidden',
      cell: ({ started }) => <Moment value={started} />,
    },
    { title: 'Last use', isNumber: true, cell: ({ used }) => <Ago time={used} /> },
    {
      title: 'End',
      phone: 'first',
      cell: (session) =>
        mayEnd(session) && <LinkButton onClick={() => onEnd(session)}>End …</LinkButton>,
    },
  ]
}
