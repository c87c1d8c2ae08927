import { useState } from 'preact/hooks'
import { groupDigits } from '../../components/money.tsx'
import { Table } from '../../components/table.tsx'

export interface Bars {
  readonly title: string
  /** Exact decimals, one for each label. */
  readonly values: readonly string[]
  /** The unit of the values, such as AUD. */
  readonly unit: string
}

const size = { width: 400, height: 160, left: 8, right: 8, top: 8, bottom: 24 } as const

/** Bars beside each other for each label, with the sentence that they show and a table with the exact values. */
export function BarChart({
  title,
  summary,
  labelTitle,
  labels,
  series,
}: {
  readonly title: string
  readonly summary: string
  /** What the labels are, such as Month. */
  readonly labelTitle: string
  readonly labels: readonly string[]
  readonly series: readonly Bars[]
}) {
  const [isTable, setTable] = useState(false)
  const rows = labels.map((label, index) => ({ label, index }))
  return (
    <figure class="bars">
      <figcaption>
        <strong>{title}</strong>
        <br />
        <span class="muted">{summary}</span>{' '}
        <button
          type="button"
          class="link"
          aria-pressed={isTable}
          onClick={() => setTable((old) => !old)}
        >
          {isTable ? 'Show the chart' : 'Show as a table'}
        </button>
      </figcaption>
      {isTable ? (
        <Table
          caption={title}
          rows={rows}
          rowKey={({ index }) => String(index)}
          columns={[
            { title: labelTitle, isHeading: true, cell: ({ label }) => label },
            ...series.map((bars) => ({
              title: `${bars.title} (${bars.unit})`,
              isNumber: true,
              cell: ({ index }: { readonly index: number }) =>
                groupDigits(bars.values[index] ?? ''),
            })),
          ]}
        />
      ) : (
        <>
          <Drawing labels={labels} series={series} />
          {series.length > 1 && (
            <p class="legend" aria-hidden="true">
              {series.map((bars, index) => (
                <span key={bars.title} class={`series-${index}`}>
                  {bars.title}
                </span>
              ))}
            </p>
          )}
        </>
      )}
    </figure>
  )
}

/** As many as fit beside each other. */
const labelsMax = 4

/** Lengths need no exact numbers. */
function Drawing({
  labels,
  series,
}: {
  readonly labels: readonly string[]
  readonly series: readonly Bars[]
}) {
  const numbers = series.map(({ values }) => values.map(Number))
  const max = Math.max(0, ...numbers.flat())
  const min = Math.min(0, ...numbers.flat())
  const inner = size.height - size.top - size.bottom
  const toY = (value: number) => size.top + (inner * (max - value)) / (max - min || 1)
  const step = (size.width - size.left - size.right) / Math.max(1, labels.length)
  const width = Math.max(1, (step * 0.8) / series.length)
  const every = Math.ceil(labels.length / labelsMax)
  const offset = Math.floor(every / 2)
  return (
    <svg viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
      {numbers.map((values, index) =>
        values.map((value, at) => (
          <rect
            key={`${index} ${at}`}
            class={`series-${index}`}
            x={size.left + at * step + step * 0.1 + index * width}
            y={Math.min(toY(value), toY(0))}
            width={width}
            height={Math.abs(toY(value) - toY(0))}
          />
        )),
      )}
      <line x1={size.left} x2={size.width - size.right} y1={toY(0)} y2={toY(0)} />
      {labels.map((label, at) =>
        at % every === offset ? (
          <text key={at} x={size.left + at * step + step / 2} y={size.height - 6}>
            {label}
          </text>
        ) : null,
      )}
    </svg>
  )
}
