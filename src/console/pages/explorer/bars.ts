import type { ChartColour, ChartSeries } from '../../components/chart-props.ts'
import { groupDigits } from '../../components/money.tsx'

const format = new Intl.NumberFormat('en', { notation: 'compact' })

/** The axes of a bar chart with these labels. */
export function createAxes(labels: readonly string[]) {
  return {
    positions: labels.map((_, index) => index),
    formatPosition: (index: number) => labels[index] ?? '',
    format: (value: number) => format.format(value),
  }
}

/** Exact decimals as bars. Lengths need no exact numbers. */
export function createBars(
  label: string,
  colour: ChartColour,
  decimals: readonly string[],
): ChartSeries {
  return { label, colour, values: decimals.map(Number), texts: decimals.map(groupDigits) }
}
