import type { ChartProps } from './chart-props.ts'

/** The patterns of lines, so that they differ without colours. */
export const dashes = ['', '6 4', '2 3', '10 4 2 4', '1 2', '12 6']

const height = 180
const margin = { left: 64, right: 8, top: 8, bottom: 24 }
/** Space for a label of the horizontal axis. */
const labelWidth = 88
const ticksMax = 4
/** Distances between labels of the horizontal axis, round for times in seconds. */
const labelSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600]

/** The index of the position at a distance from the left edge. */
export function locate(props: ChartProps, width: number, x: number): number | undefined {
  const { toX } = createScale(props, width)
  let nearest: number | undefined
  for (const index of props.positions.keys()) {
    if (nearest === undefined || Math.abs(toX(index) - x) <= Math.abs(toX(nearest) - x)) {
      nearest = index
    }
  }
  return nearest
}

/** Lines or bars between two axes. */
export function ChartDrawing({
  props,
  width,
  crosshair,
}: {
  readonly props: ChartProps
  readonly width: number
  /** The index of a position. */
  readonly crosshair: number | undefined
}) {
  const { kind, format } = props
  const scale = createScale(props, width)
  const { toX, toY, ticks } = scale
  const right = width - margin.right
  return (
    <svg width={width} height={height} aria-hidden="true">
      {ticks.map((value) => (
        <g key={value}>
          <line class="chart-grid" x1={margin.left} x2={right} y1={toY(value)} y2={toY(value)} />
          <text x={margin.left - 6} y={toY(value) + 4} text-anchor="end">
            {format(value)}
          </text>
        </g>
      ))}
      {listLabels(props, scale).map(({ x, text }) => (
        <text key={text} x={x} y={height - 6} text-anchor="middle">
          {text}
        </text>
      ))}
      {kind === 'bars' ? drawBars(props, scale) : drawLines(props, scale)}
      {crosshair !== undefined && (
        <line
          class="chart-crosshair"
          x1={toX(crosshair)}
          x2={toX(crosshair)}
          y1={margin.top}
          y2={height - margin.bottom}
        />
      )}
    </svg>
  )
}

function drawLines({ series }: ChartProps, { toX, toY }: Scale) {
  return series.map(({ label, colour, values }, order) => {
    const has = (index: number) => (values[index] ?? null) !== null
    const shown = [...values.keys()].filter(has)
    const point = (index: number) =>
      `${toX(index).toFixed(1)} ${toY(values[index] ?? 0).toFixed(1)}`
    const path = shown.map((index) => (has(index - 1) ? 'L' : 'M') + point(index)).join('')
    // Through a value between gaps, no line can be drawn.
    const isolated = shown.filter((index) => !has(index - 1) && !has(index + 1))
    return (
      <g key={label} class={colour}>
        <path d={path} stroke-dasharray={dashes[order % dashes.length]} />
        {isolated.map((index) => (
          <circle key={index} cx={toX(index)} cy={toY(values[index] ?? 0)} r="2.5" />
        ))}
      </g>
    )
  })
}

function drawBars({ series }: ChartProps, { toX, toY, step }: Scale) {
  const thickness = Math.max(1, (step * 0.8) / series.length)
  return series.map(({ label, colour, values }, order) =>
    values.map((value, index) => (
      <rect
        key={`${label} ${index}`}
        class={colour}
        x={toX(index) - step * 0.4 + order * thickness}
        y={Math.min(toY(value ?? 0), toY(0))}
        width={thickness}
        height={Math.abs(toY(value ?? 0) - toY(0))}
      />
    )),
  )
}

type Scale = ReturnType<typeof createScale>

function createScale({ kind, positions, series, range }: ChartProps, width: number) {
  const values = series.flatMap((each) => each.values).filter((value) => value !== null)
  const ticks = listTicks(Math.min(0, ...values), Math.max(0, ...values))
  const [lowest = 0, highest = 1] = [ticks[0], ticks.at(-1)]
  const innerHeight = height - margin.top - margin.bottom
  const innerWidth = width - margin.left - margin.right
  const [first, last] = range ?? [positions[0] ?? 0, positions.at(-1) ?? 0]
  const step = innerWidth / Math.max(1, positions.length)
  const perUnit = innerWidth / (last - first || 1)
  return {
    ticks,
    step,
    first,
    last,
    perUnit,
    width,
    toY: (value: number) =>
      margin.top + (innerHeight * (highest - value)) / (highest - lowest || 1),
    toX: (index: number) =>
      margin.left +
      (kind === 'bars' ? (index + 0.5) * step : perUnit * ((positions[index] ?? 0) - first)),
  }
}

/** Round numbers from the lowest value or below it to the highest or above it. */
function listTicks(lowest: number, highest: number): number[] {
  const rough = (highest - lowest || 1) / ticksMax
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10)
  const [first, last] = [Math.floor(lowest / step), Math.ceil(highest / step) || 1]
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step)
}

/** As many as have space. Of bars, every nth; of lines, round positions, so that they move with the data. */
function listLabels({ kind, positions, formatPosition }: ChartProps, scale: Scale) {
  const labels = kind === 'bars' ? listBars(positions, scale) : listRoundPositions(scale)
  return (
    labels
      // One at the edge would be cut off.
      .filter(({ x }) => x <= scale.width - labelWidth / 2)
      .map(({ x, position }) => ({ x, text: formatPosition(position) }))
  )
}

function listBars(positions: readonly number[], { toX, step }: Scale) {
  const every = Math.ceil(labelWidth / step)
  return positions
    .map((position, index) => ({ x: toX(index), position }))
    .filter((_, index) => index % every === Math.floor(every / 2))
}

function listRoundPositions({ first, last, perUnit }: Scale) {
  const distance = labelSteps.find((step) => step * perUnit >= labelWidth) ?? last - first
  const lowest = Math.ceil(first / distance)
  const count = Math.max(0, Math.floor(last / distance) - lowest + 1) || 0
  return Array.from({ length: count }, (_, index) => {
    const position = (lowest + index) * distance
    return { x: margin.left + (position - first) * perUnit, position }
  })
}
