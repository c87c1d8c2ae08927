import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { dashes, findNearest, placeChart } from '../../design/chart.ts'
import { ChartDrawing } from './chart-drawing.tsx'
import type { ChartColour, ChartProps, ChartSeries } from './chart-props.ts'
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
    <figure class="chart card">
      <figcaption>
        <h3>{title}</h3>
        <p class="muted">{sentence}</p>
      </figcaption>
      <Plot props={props} selected={selected} shown={shown} />
      <ul class="chart-legend">
        {series.map((each, index) => (
          <li key={each.label}>
            <svg width="16" height="8" aria-hidden="true" class={`chart-key ${each.colour}`}>
              <line
                x1="0"
                y1="4"
                x2="16"
                y2="4"
                stroke-dasharray={props.kind === 'lines' ? dashes[index % dashes.length] : ''}
              />
            </svg>
            {each.label} <span class="number">{formatValue(props, each, shown)}</span>
          </li>
        ))}
        {hasMarks(props) && (
          <li>
            <svg width="16" height="10" aria-hidden="true" class="chart-key muted">
              <line class="chart-mark" x1="8" x2="8" y1="0" y2="10" />
            </svg>
            What happened
          </li>
        )}
        {position !== undefined && <li class="position number">{formatPosition(position)}</li>}
      </ul>
      <ChartTable {...props} />
    </figure>
  )
}

function hasMarks({ marks = [], positions, range }: ChartProps): boolean {
  const [first = 0, last = 0] = range ?? [positions[0], positions.at(-1)]
  return marks.some((position) => position >= first && position <= last)
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
  const chart = placeChart(props, width)
  const point = ({ clientX, currentTarget }: PointerEvent & { currentTarget: Element }) => {
    const x = clientX - currentTarget.getBoundingClientRect().left
    selected.value = findNearest(chart, x)
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
      onPointerDown={point}
      onPointerMove={point}
      onPointerLeave={({ pointerType }) => {
        // A finger leaves when it is lifted: its crosshair stays, so that the values can be read.
        if (pointerType !== 'touch') selected.value = undefined
      }}
    >
      <ChartDrawing
        props={props}
        chart={chart}
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

const sparkWidth = 200
const sparkHeight = 32

/** The shape of a series in one line, without axes: the figure above it has the value. */
export function Sparkline({
  values,
  colour = 'accent',
}: {
  readonly values: readonly number[]
  readonly colour?: ChartColour
}) {
  const max = Math.max(1, ...values)
  const points = values.map((value, index) => {
    const x = (index / Math.max(1, values.length - 1)) * sparkWidth
    return `${x.toFixed(1)} ${(sparkHeight - 1 - (value / max) * (sparkHeight - 2)).toFixed(1)}`
  })
  if (points.length < 2) return <div class="sparkline" />
  return (
    <svg
      class={`sparkline ${colour}`}
      viewBox={`0 0 ${sparkWidth} ${sparkHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path
        class="area"
        d={`M${points.join('L')}L${sparkWidth} ${sparkHeight}L0 ${sparkHeight}Z`}
      />
      <path d={`M${points.join('L')}`} />
    </svg>
  )
}
