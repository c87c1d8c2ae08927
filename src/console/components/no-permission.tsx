import type { Scope } from '../../contract/scopes.ts'
import { session } from '../session.ts'
import { PageHeading } from './page-heading.tsx'

/** Says which scope is missing, and how to get it. */
export function NoPermission({ title, scope }: { readonly title: string; readonly scope: Scope }) {
  return (
    <>
      <PageHeading title={title} />
      <p>
        This page needs the scope <code>{scope}</code>. The client {session.value?.client_name} does
        not have it.
      </p>
      <p class="muted">
        To register a client that has it, run <code>holdfast client add NAME --scope {scope}</code>.
      </p>
    </>
  )
}
