/** What a chart draws. Every page that has charts places them with this engine. */
export interface ChartData {
  readonly kind: 'lines' | 'bars'
  /** Ascending. Lines are drawn to scale, bars beside each other. */
  readonly positions: readonly number[]
  readonly formatPosition: (position: number) => string
  /** The text of a position on the axis, if it is shorter. */
  readonly formatLabel?: (position: number) => string
  /** For each series, one value for each position; null where there is no value. */
  readonly series: readonly { readonly values: readonly (number | null)[] }[]
  /** The text of a value on the axis. */
  readonly format: (value: number) => string
  /** The smallest difference that these texts show, such as 1 for counts. By default, they show any. */
  readonly precision?: number
  /** Of the values on the axis, above it, unless their texts have it. */
  readonly unit?: string | undefined
  /** The first and the last position of the axis. By default, those of the data. */
  readonly range?: readonly [number, number] | undefined
  /** Positions between the first and the last one where something happened. Bars have none. */
  readonly marks?: readonly number[] | undefined
}

interface Label {
  readonly at: number
  readonly text: string
}

export interface Bar {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

interface PlacedSeries {
  /** Of the lines; empty for bars. */
  readonly path: string
  readonly dots: readonly { readonly x: number; readonly y: number }[]
  readonly bars: readonly Bar[]
}

export interface PlacedChart {
  readonly width: number
  readonly height: number
  readonly left: number
  readonly right: number
  readonly top: number
  /** Where zero is. */
  readonly baseline: number
  readonly bottom: number
  readonly grid: readonly Label[]
  readonly labels: readonly Label[]
  readonly series: readonly PlacedSeries[]
  /** The horizontal place of each position, and of each mark. */
  readonly xs: readonly number[]
  readonly marks: readonly number[]
}

/** The patterns of lines, so that they differ without colours. */
export const dashes = ['', '6 4', '2 3', '10 4 2 4', '1 2', '12 6']

const chartHeight = 180
const margin = { left: 52, right: 8, top: 10, bottom: 24 }
/** Above the highest line, for the unit. */
const unitHeight = 14
/** Of a character of the labels, and of the space beside a label of the vertical axis. */
const characterWidth = 6.8
const labelSpace = 14
/** Space for a label of the horizontal axis. */
const labelWidth = 80
/** Between the lines of the grid: three lines are enough to read a value, five are not too many. */
const intervalCounts = [2, 3, 4]
const roundSteps = [1, 2, 2.5, 3, 4, 5, 6, 8, 10]
/** Distances between labels of the horizontal axis, round for times in seconds. */
const labelSteps = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800],
  ...[3600, 7200, 10_800, 21_600, 43_200, 86_400],
]

/** Places everything in a drawing of this width, in pixels. */
export function placeChart(data: ChartData, width: number, height = chartHeight): PlacedChart {
  const { kind, positions, series, range, marks = [] } = data
  const values = series.flatMap((each) => each.values).filter((value) => value !== null)
  const ticks = listTicks(Math.min(0, ...values), Math.max(0, ...values), data.precision)
  const [lowest = 0, highest = 1] = [ticks[0], ticks.at(-1)]
  const texts = ticks.map((value) => data.format(value))
  const longest = Math.max(...texts.map(({ length }) => length))
  const left = Math.max(margin.left, Math.ceil(longest * characterWidth) + labelSpace)
  const top = margin.top + (data.unit === undefined ? 0 : unitHeight)
  const [right, bottom] = [width - margin.right, height - margin.bottom]
  const innerWidth = right - left
  const [first, last] = range ?? [positions[0] ?? 0, positions.at(-1) ?? 0]
  const step = innerWidth / Math.max(1, positions.length)
  const perUnit = innerWidth / (last - first || 1)
  const toY = (value: number) =>
    top + ((bottom - top) * (highest - value)) / (highest - lowest || 1)
  const xs = positions.map((position, index) =>
    kind === 'bars' ? left + (index + 0.5) * step : left + perUnit * (position - first),
  )
  const labels =
    kind === 'bars'
      ? listBars(positions, xs, step)
      : listRoundPositions(first, last, perUnit).map(({ from, position }) => ({
          at: left + from,
          position,
        }))
  const formatLabel = data.formatLabel ?? data.formatPosition
  return {
    width,
    height,
    left,
    right,
    top,
    bottom,
    baseline: toY(0),
    grid: ticks.map((value, index) => ({ at: toY(value), text: texts[index] ?? '' })),
    labels: labels
      // One at the edge would be cut off.
      .filter(({ at }) => at <= width - labelWidth / 3)
      .map(({ at, position }) => ({ at, text: formatLabel(position) })),
    series:
      kind === 'bars'
        ? placeBars(series, xs, step, toY)
        : series.map((each) => placeLine(each.values, xs, toY)),
    xs,
    marks: marks
      .filter((position) => position >= first && position <= last)
      .map((position) => left + perUnit * (position - first)),
  }
}

/** The index of the position that is nearest to a distance from the left edge. */
export function findNearest({ xs }: PlacedChart, x: number): number | undefined {
  let nearest: number | undefined
  for (const [index, at] of xs.entries()) {
    if (nearest === undefined || Math.abs(at - x) <= Math.abs((xs[nearest] ?? 0) - x)) {
      nearest = index
    }
  }
  return nearest
}

type ToY = (value: number) => number

function placeLine(
  values: readonly (number | null)[],
  xs: readonly number[],
  toY: ToY,
): PlacedSeries {
  const has = (index: number) => (values[index] ?? null) !== null
  const shown = [...values.keys()].filter(has)
  const place = (index: number) => ({ x: xs[index] ?? 0, y: toY(values[index] ?? 0) })
  const path = shown.map((index) => {
    const { x, y } = place(index)
    return `${has(index - 1) ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`
  })
  return {
    path: path.join(''),
    // Through a value between gaps, no line can be drawn.
    dots: shown.filter((index) => !has(index - 1) && !has(index + 1)).map(place),
    bars: [],
  }
}

function placeBars(
  series: ChartData['series'],
  xs: readonly number[],
  step: number,
  toY: ToY,
): PlacedSeries[] {
  const width = Math.max(1, (step * 0.7) / series.length)
  return series.map(({ values }, order) => ({
    path: '',
    dots: [],
    bars: values.map((value, index) => ({
      x: (xs[index] ?? 0) - step * 0.35 + order * width,
      y: Math.min(toY(value ?? 0), toY(0)),
      width: Math.max(1, width - 1),
      height: Math.abs(toY(value ?? 0) - toY(0)),
    })),
  }))
}

/** Round numbers from the lowest value or below it to the highest or above it, with the least space outside of them. */
function listTicks(lowest: number, highest: number, precision?: number): number[] {
  const candidates = intervalCounts.map((count) => {
    const step = roundUp((highest - lowest || 1) / count, precision)
    const [first, last] = [Math.floor(lowest / step), Math.ceil(highest / step) || 1]
    return { step, first, count: last - first }
  })
  const { step, first, count } = candidates.reduce((best, each) =>
    each.step * each.count < best.step * best.count * (1 - tolerance) ? each : best,
  )
  return Array.from({ length: count + 1 }, (_, index) => (first + index) * step)
}

/** For the inexact results of calculations with decimals. */
const tolerance = 1e-9

/** The next round step that is a multiple of the precision. */
function roundUp(least: number, precision: number | undefined): number {
  const wanted = Math.max(least, precision ?? 0)
  const power = 10 ** Math.floor(Math.log10(wanted) + tolerance)
  const isShown = (step: number) => {
    const multiple = step / (precision ?? step)
    return Math.abs(multiple - Math.round(multiple)) < tolerance * multiple
  }
  const steps = roundSteps.map((factor) => factor * power)
  return steps.find((step) => step >= wanted * (1 - tolerance) && isShown(step)) ?? 10 * power
}

/** As many as have space: every nth. */
function listBars(positions: readonly number[], xs: readonly number[], step: number) {
  const every = Math.ceil(labelWidth / step)
  return positions
    .map((position, index) => ({ at: xs[index] ?? 0, position }))
    .filter((_, index) => index % every === Math.floor(every / 2))
}

/** Round positions, so that they move with the data. */
function listRoundPositions(first: number, last: number, perUnit: number) {
  const distance = labelSteps.find((step) => step * perUnit >= labelWidth) ?? last - first
  const lowest = Math.ceil(first / distance)
  const count = Math.max(0, Math.floor(last / distance) - lowest + 1) || 0
  return Array.from({ length: count }, (_, index) => {
    const position = (lowest + index) * distance
    return { from: (position - first) * perUnit, position }
  })
}
