import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { Table } from './table.tsx'

/** Colours by their names in the stylesheet. Each series also has a pattern of its own. */
export type ChartColour = 'accent' | 'good' | 'warn' | 'bad' | 'muted' | 'ink'

export interface ChartSeries {
  readonly label: string
  readonly colour: ChartColour
  /** One for each time; null where there is no value. */
  readonly values: readonly (number | null)[]
  /** The default is a line. */
  readonly kind?: 'line' | 'bars'
}

export interface ChartProps {
  readonly title: string
  /** What the chart shows, in one sentence. */
  readonly summary: string
  /** In seconds since 1970, ascending. */
  readonly times: readonly number[]
  readonly series: readonly ChartSeries[]
  /** The text of a value, on the axis, in the legend and in the table. */
  readonly format: (value: number) => string
  /** The text of a time, on the axis, in the legend and in the table. */
  readonly formatTime: (seconds: number) => string
  /** The first and the last time of the axis. By default, those of the data. */
  readonly range?: readonly [number, number] | undefined
  /** Charts with the same name have a common crosshair. */
  readonly group?: string
}

const height = 180
/** The table has the latest rows. More would be slow to show and to read. */
const tableRowsMax = 100
const dashes: readonly number[][] = [[], [6, 4], [2, 3], [10, 4, 2, 4], [1, 2], [12, 6]]

/** A chart over time, with a sentence and a table for readers who do not see it. */
export function Chart(props: ChartProps) {
  const { title, summary, times, series, format, formatTime } = props
  const [index, setIndex] = useState<number | null>(null)
  const [isTableOpen, setTableOpen] = useState(false)
  const place = usePlot(props, setIndex)
  const shown = index !== null && index < times.length ? index : times.length - 1
  const time = times[shown]
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <p class="muted">{summary}</p>
      </figcaption>
      <ul class="chart-legend">
        {series.map(({ label, colour, values }, position) => (
          <li key={label}>
            <svg width="28" height="8" aria-hidden="true" class={`chart-key ${colour}`}>
              <line
                x1="0"
                y1="4"
                x2="28"
                y2="4"
                stroke-width="3"
                stroke-dasharray={dashOf(position).join(' ') || undefined}
              />
            </svg>
            {label} <span class="number">{formatValue(values[shown], format)}</span>
          </li>
        ))}
        {time !== undefined && <li class="muted number">{formatTime(time)}</li>}
      </ul>
      <div ref={place} class="chart-plot" aria-hidden="true" />
      <details onToggle={(event) => setTableOpen(event.currentTarget.open)}>
        <summary>Table: {title}</summary>
        {isTableOpen && (
          <>
            {times.length > tableRowsMax && (
              <p class="muted">The latest {tableRowsMax} rows, the latest first.</p>
            )}
            <Table
              caption={title}
              columns={[
                { title: 'Time', cell: (row) => formatTime(times[row] ?? 0), isHeading: true },
                ...series.map(({ label, values }) => ({
                  title: label,
                  cell: (row: number) => formatValue(values[row], format),
                  isNumber: true,
                })),
              ]}
              rows={latestRows(times.length)}
              rowKey={(row) => String(times[row])}
            />
          </>
        )}
      </details>
    </figure>
  )
}

function formatValue(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value)
}

function latestRows(count: number): number[] {
  return Array.from({ length: Math.min(count, tableRowsMax) }, (_, index) => count - 1 - index)
}

function dashOf(position: number): number[] {
  return dashes[position % dashes.length] ?? []
}

/** Draws in the element of the returned reference, again whenever data, width or colours change. */
function usePlot(props: ChartProps, onIndex: (index: number | null) => void) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const latest = useRef(props)
  latest.current = props
  const { times, series, range } = props
  const shape = series.map(({ label, colour, kind }) => `${label} ${colour} ${kind}`).join('\n')

  useEffect(() => {
    const element = place.current
    if (!element) return undefined
    const width = Math.max(200, element.clientWidth)
    const options = createOptions(latest, width, onIndex)
    const created = new uPlot(options, toData(latest.current), element)
    plot.current = created
    const resized = new ResizeObserver(() => {
      const wide = Math.max(200, element.clientWidth)
      if (wide !== created.width) created.setSize({ width: wide, height })
    })
    resized.observe(element)
    const dark = window.matchMedia('(prefers-color-scheme: dark)')
    const redraw = () => created.redraw(false, true)
    dark.addEventListener('change', redraw)
    return () => {
      resized.disconnect()
      dark.removeEventListener('change', redraw)
      created.destroy()
      plot.current = undefined
    }
  }, [shape])
  useEffect(() => {
    plot.current?.setData(toData(latest.current))
  }, [times, series, range?.[0], range?.[1]])
  return place
}

function toData({ times, series }: ChartProps): uPlot.AlignedData {
  return [[...times], ...series.map(({ values }) => [...values])]
}

function createOptions(
  latest: { readonly current: ChartProps },
  width: number,
  onIndex: (index: number | null) => void,
): uPlot.Options {
  const { group, series } = latest.current
  const line = { stroke: () => readColour('line'), width: 1 }
  const axis = { stroke: () => readColour('muted'), grid: line, ticks: line }
  return {
    width,
    height,
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      ...(group !== undefined && { sync: { key: group } }),
    },
    scales: {
      x: {
        range: (_plot, min, max) => [...(latest.current.range ?? [min, max])] as [number, number],
      },
      y: { range: (_plot, min, max) => fitRange(min, max) },
    },
    axes: [
      {
        ...axis,
        space: 80,
        values: (_plot, values) => values.map((value) => latest.current.formatTime(value)),
      },
      {
        ...axis,
        size: 64,
        values: (_plot, values) => values.map((value) => latest.current.format(value)),
      },
    ],
    series: [
      {},
      ...series.map(({ label, colour, kind }, position) => ({
        label,
        stroke: () => readColour(colour),
        width: 2,
        dash: dashOf(position),
        points: {
          size: 5,
          filter: (plot: uPlot, index: number) => findIsolated(plot.data[index] ?? []),
        },
        ...(kind === 'bars' && {
          dash: [],
          fill: () => readColour(colour),
          paths: uPlot.paths.bars?.({ size: [0.6, 40] }) as uPlot.Series.PathBuilder,
        }),
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onIndex(cursor.idx ?? null)] },
  }
}

/** Values between gaps, through which no line can be drawn. */
function findIsolated(values: ArrayLike<number | null | undefined>): number[] {
  const has = (index: number) => values[index] !== null && values[index] !== undefined
  return Array.from(values, (_, index) => index).filter(
    (index) => has(index) && !has(index - 1) && !has(index + 1),
  )
}

/** Always with zero, and never without height. */
function fitRange(min: number | null, max: number | null): [number, number] {
  const lowest = Math.min(0, min ?? 0)
  const highest = Math.max(0, max ?? 0)
  return lowest === highest ? [lowest, lowest + 1] : [lowest * 1.1, highest * 1.1]
}

function readColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
}
