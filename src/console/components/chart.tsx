import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ChartDrawing, dashes, locate } from './chart-drawing.tsx'
import type { ChartProps, ChartSeries } from './chart-props.ts'
import { Table } from './table.tsx'

/** The table has the latest rows. More would be slow to show and to read. */
const tableRowsMax = 100
const widthMin = 200

/** A chart, with a sentence and a table for readers who do not see it. */
export function Chart(props: ChartProps) {
  const { title, sentence, positions, series, formatPosition } = props
  const own = useSignal<number | undefined>(undefined)
  const selected = props.selected ?? own
  const last = positions.length - 1
  const shown = Math.min(selected.value ?? last, last)
  const position = positions[shown]
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <p class="muted">{sentence}</p>
      </figcaption>
      <ul class="chart-legend">
        {series.map((each, index) => (
          <li key={each.label}>
            <svg width="28" height="8" aria-hidden="true" class={`chart-key ${each.colour}`}>
              <line
                x1="0"
                y1="4"
                x2="28"
                y2="4"
                stroke-dasharray={props.kind === 'lines' ? dashes[index % dashes.length] : ''}
              />
            </svg>
            {each.label} <span class="number">{formatValue(props, each, shown)}</span>
          </li>
        ))}
        {position !== undefined && <li class="muted number">{formatPosition(position)}</li>}
      </ul>
      <Plot props={props} selected={selected} shown={shown} />
      <ChartTable {...props} />
    </figure>
  )
}

/** The drawing, with a crosshair that follows the pointer and the arrow keys. */
function Plot({
  props,
  selected,
  shown,
}: {
  readonly props: ChartProps
  readonly selected: Signal<number | undefined>
  readonly shown: number
}) {
  const { title, positions, series, formatPosition } = props
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(widthMin)
  useEffect(() => {
    const element = place.current as HTMLDivElement
    const measure = () => setWidth(Math.max(widthMin, element.clientWidth))
    const observer = new ResizeObserver(measure)
    measure()
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const last = positions.length - 1
  const move = (event: KeyboardEvent) => {
    const target = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: last }
    if (event.key === 'Escape') selected.value = undefined
    if (!Object.hasOwn(target, event.key)) return
    event.preventDefault()
    selected.value = Math.max(0, Math.min(last, target[event.key as keyof typeof target]))
  }
  const values = series.map((each) => `${each.label} ${formatValue(props, each, shown)}`)
  return (
    <div
      ref={place}
      class="chart-plot"
      role="slider"
      aria-label={title}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, last)}
      aria-valuenow={Math.max(0, shown)}
      aria-valuetext={[formatPosition(positions[shown] ?? 0), ...values].join(', ')}
      tabIndex={0}
      onKeyDown={move}
      onPointerMove={({ clientX, currentTarget }) => {
        const x = clientX - currentTarget.getBoundingClientRect().left
        selected.value = locate(props, width, x)
      }}
      onPointerLeave={() => {
        selected.value = undefined
      }}
    >
      <ChartDrawing
        props={props}
        width={width}
        crosshair={selected.value === undefined ? undefined : shown}
      />
    </div>
  )
}

function ChartTable(props: ChartProps) {
  const { title, positionTitle, positions, series, formatPosition } = props
  const [isOpen, setOpen] = useState(false)
  const rows = positions.map((_, index) => index).reverse()
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Table: {title}</summary>
      {isOpen && (
        <>
          {rows.length > tableRowsMax && (
            <p class="muted">The latest {tableRowsMax} rows, the latest first.</p>
          )}
          <Table
            caption={title}
            columns={[
              {
                title: positionTitle,
                cell: (row: number) => formatPosition(positions[row] ?? 0),
                isHeading: true,
              },
              ...series.map((each) => ({
                title: each.label,
                cell: (row: number) => formatValue(props, each, row),
                isNumber: true,
              })),
            ]}
            rows={rows.slice(0, tableRowsMax)}
            rowKey={String}
          />
        </>
      )}
    </details>
  )
}

function formatValue({ format }: ChartProps, { values, texts }: ChartSeries, at: number): string {
  const value = values[at] ?? undefined
  return texts?.[at] ?? (value === undefined ? '–' : format(value))
}
