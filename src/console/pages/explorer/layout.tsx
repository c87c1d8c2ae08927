import type { ComponentChildren, ComponentProps } from 'preact'
import { PageHeading } from '../../components/page-heading.tsx'
import { Notice } from '../../components/states.tsx'
import { features } from '../../session.ts'
import { CallList } from './call-list.tsx'

/** A view of the explorer with the list of its calls beside it. */
export function ExplorerLayout({
  children,
  side,
  ...heading
}: ComponentProps<typeof PageHeading> & {
  /** Above the list of calls. */
  readonly side?: ComponentChildren
}) {
  const { title } = heading
  if (!features.value.includes('explorer')) {
    return (
      <>
        <PageHeading title={title} />
        <Notice title="The explorer is disabled on this platform">
          <p>
            It reads data of customers without their consent, so it is meant for demos and
            sandboxes. To enable it, start the platform with <code>HOLDFAST_EXPLORER=true</code>.
          </p>
        </Notice>
      </>
    )
  }
  return (
    <div class="explorer">
      <div class="explorer-main">
        <PageHeading {...heading} />
        {children}
      </div>
      <div class="explorer-side">
        {side}
        <CallList />
      </div>
    </div>
  )
}
