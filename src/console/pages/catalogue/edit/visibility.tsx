import { describePath } from '../../../../contract/labels.ts'
import { countGaps } from '../../../../contract/publicity.ts'
import { Badge } from '../../../components/badge.tsx'
import { findGaps } from '../find-gaps.ts'
import { explain } from './explain.ts'

/** Where a product can be read after it is published, and where not. */
export function Visibility({
  product,
  id,
}: {
  readonly product: object
  readonly id: string | undefined
}) {
  const gaps = findGaps(product, id)
  return (
    <>
      <h3>Where it will be visible</h3>
      <ul class="checks-list">
        <li>
          <Badge kind="good">Visible</Badge>
          <div>
            The platform and its API clients, at once
            <span class="muted">
              <code>/v1/data-provider/cdr/products</code>
            </span>
          </div>
        </li>
        <li>
          <Badge kind={gaps.length === 0 ? 'good' : 'bad'}>
            {gaps.length === 0 ? 'Visible' : 'Not visible'}
          </Badge>
          <div>
            The public catalogue for comparison sites and third parties
            {gaps.length === 0 ? ', at once' : `: ${countGaps(gaps.length)}`}
            <span class="muted">
              <code>/cds-au/v1/banking/products</code>
            </span>
            {gaps.length > 0 && (
              <ul>
                {gaps.map((gap) => (
                  <li key={gap.path + gap.reason}>
                    {describePath(gap.path)}: {explain(product, gap)}
                  </li>
                ))}
              </ul>
            )}
          </div>
        </li>
      </ul>
    </>
  )
}
