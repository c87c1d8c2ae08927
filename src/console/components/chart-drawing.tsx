import { dashes, type PlacedChart } from '../../design/chart.ts'
import type { ChartProps } from './chart-props.ts'

/** Lines or bars between two axes. */
export function ChartDrawing({
  props: { series, unit },
  chart,
  crosshair,
}: {
  readonly props: ChartProps
  readonly chart: PlacedChart
  /** The index of a position. */
  readonly crosshair: number | undefined
}) {
  const { width, height, left, right, top, bottom, baseline, grid, labels, xs } = chart
  return (
    <svg width={width} height={height} aria-hidden="true">
      {grid.map(({ at, text }) => (
        <g key={at}>
          <line class="chart-grid" x1={left} x2={right} y1={at} y2={at} />
          <text x={left - 8} y={at + 4} text-anchor="end">
            {text}
          </text>
        </g>
      ))}
      <line class="chart-baseline" x1={left} x2={right} y1={baseline} y2={baseline} />
      {unit !== undefined && (
        <text x={left} y={top - 10} text-anchor="end" dx="-8">
          {unit}
        </text>
      )}
      {labels.map(({ at, text }) => (
        <text key={text} x={at} y={height - 6} text-anchor="middle">
          {text}
        </text>
      ))}
      {chart.series.map(({ path, dots, bars }, order) => (
        <g key={series[order]?.label} class={series[order]?.colour}>
          {path !== '' && <path d={path} stroke-dasharray={dashes[order % dashes.length]} />}
          {dots.map(({ x, y }) => (
            <circle key={x} cx={x} cy={y} r="2.5" />
          ))}
          {bars.map(({ x, y, width: thickness, height: length }) => (
            <rect key={x} x={x} y={y} width={thickness} height={length} rx="1.5" />
          ))}
        </g>
      ))}
      {[...new Set(chart.marks)].map((x) => (
        <line key={x} class="chart-mark" x1={x} x2={x} y1={top} y2={bottom} />
      ))}
      {crosshair !== undefined && (
        <line class="chart-crosshair" x1={xs[crosshair]} x2={xs[crosshair]} y1={top} y2={bottom} />
      )}
    </svg>
  )
}
