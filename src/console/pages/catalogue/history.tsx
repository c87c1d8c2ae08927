import { useState } from 'preact/hooks'
import type { ProductChange } from '../../../contract/index.ts'
import { listProductChanges } from '../../../contract/operations/catalogue.ts'
import { read } from '../../api.ts'
import { ChangedBy } from '../../components/actor-name.tsx'
import { StateBadge } from '../../components/badge.tsx'
import { LinkButton } from '../../components/button.tsx'
import { FieldDiff } from '../../components/field-diff.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Loaded } from '../../components/states.tsx'
import { type Column, Pager, Table } from '../../components/table.tsx'
import { Ago } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import { readCount, setQuery, type ViewProps } from '../../router.ts'
import { hasScope } from '../../session.ts'
import { catalogueCrumbs, productUrl } from './addresses.ts'
import { toInput } from './edit/drafts.ts'
import { findProduct, readVersion } from './read-product.ts'
import { RestoreDialog } from './restore-dialog.tsx'

const changes = {
  CREATED: ['good', 'Created'],
  UPDATED: ['neutral', 'Updated'],
  DELETED: ['bad', 'Deleted'],
} as const

export function View({ params, query }: ViewProps) {
  const id = params['id'] ?? ''
  const page = readCount(query, 'page') ?? 1
  const [restored, setRestored] = useState<number>()
  const name = useResource(`name ${id}`, (signal) => readName(id, signal))
  const resource = useResource(
    JSON.stringify([id, page]),
    (signal) => read(listProductChanges, { params: { productID: id }, query: { page }, signal }),
    { keepValue: true },
  )
  return (
    <>
      <PageHeading
        title="History"
        crumbs={[...catalogueCrumbs, [name.value ?? 'Product', productUrl(id)]]}
        about={name.value}
      />
      <Loaded resource={resource}>
        {({ data, meta }) => {
          const chosen = chooseVersions(data.history, query)
          return (
            <>
              <Table
                caption="Versions"
                columns={createColumns(chosen, meta.totalRecords, setRestored)}
                rows={data.history}
                rowKey={({ version }) => String(version)}
              />
              {meta.totalPages > 1 && (
                <Pager
                  page={page}
                  pageCount={meta.totalPages}
                  total={meta.totalRecords}
                  noun="versions"
                />
              )}
              {chosen.from !== undefined && chosen.to !== undefined && (
                <VersionDiff id={id} from={chosen.from} to={chosen.to} />
              )}
            </>
          )
        }}
      </Loaded>
      {restored !== undefined && (
        <RestoreDialog
          id={id}
          version={restored}
          onClose={() => setRestored(undefined)}
          onRestored={() => resource.reload()}
        />
      )}
    </>
  )
}

/** Of the product, of its draft, or of its last version. */
async function readName(id: string, signal: AbortSignal): Promise<string | undefined> {
  const { product, draft, change } = await findProduct(id, signal)
  const shown = product?.body ?? draft?.body.product
  if (shown || !change) return shown?.name
  // The last version is the deletion, which has no content.
  return change.version > 1 ? (await readVersion(id, change.version - 1, signal)).name : undefined
}

interface Chosen {
  readonly from: number | undefined
  readonly to: number | undefined
}

/** Without a choice, the newest version and the one before it. A deletion has no content. */
function chooseVersions(history: readonly ProductChange[], query: URLSearchParams): Chosen {
  const readable = history.filter(({ change }) => change !== 'DELETED')
  const to = readCount(query, 'to') ?? readable[0]?.version
  const before = readable.find(({ version }) => to !== undefined && version < to)?.version
  return { to, from: readCount(query, 'from') ?? before }
}

function createColumns(
  chosen: Chosen,
  newest: number,
  restore: (version: number) => void,
): Column<ProductChange>[] {
  const choose = (name: 'from' | 'to', { version, change }: ProductChange) =>
    change !== 'DELETED' && (
      <input
        type="radio"
        name={name}
        aria-label={name === 'from' ? `Compare version ${version}` : `With version ${version}`}
        checked={chosen[name] === version}
        onChange={() => setQuery({ [name]: String(version) }, { replace: true })}
      />
    )
  // Versions are numbered from 1, so the number of them is the newest.
  const restoreButton = ({ version, change }: ProductChange) =>
    change !== 'DELETED' &&
    version !== newest && (
      <LinkButton aria-label={`Restore version ${version}`} onClick={() => restore(version)}>
        Restore
      </LinkButton>
    )
  return [
    { title: 'Compare', phone: 'labelled', cell: (row) => choose('from', row) },
    { title: 'With', phone: 'labelled', cell: (row) => choose('to', row) },
    { title: 'Version', isHeading: true, cell: ({ version }) => `Version ${version}` },
    {
      title: 'Change',
      phone: 'first',
      cell: ({ change }) => <StateBadge label={changes[change]} />,
    },
    { title: 'By', cell: (change) => <ChangedBy change={change} /> },
    { title: 'Origin', isExtra: true, cell: ({ origin }) => origin ?? 'Written here' },
    { title: 'At', isNumber: true, cell: ({ changed_at }) => <Ago time={changed_at} /> },
    ...(hasScope('products.write') ? [{ title: 'Restore', cell: restoreButton }] : []),
  ]
}

function VersionDiff({
  id,
  from,
  to,
}: {
  readonly id: string
  readonly from: number
  readonly to: number
}) {
  const resource = useResource(
    JSON.stringify([id, from, to]),
    (signal) => Promise.all([readVersion(id, from, signal), readVersion(id, to, signal)]),
    { keepValue: true },
  )
  return (
    <section aria-busy={resource.isLoading}>
      <h2>
        Version {from} and version {to}
      </h2>
      <Loaded resource={resource}>
        {([before, after]) => (
          <FieldDiff
            before={toInput(before)}
            after={toInput(after)}
            beforeLabel={`Version ${from}`}
            afterLabel={`Version ${to}`}
          />
        )}
      </Loaded>
    </section>
  )
}
