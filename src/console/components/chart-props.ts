import type { Signal } from '@preact/signals'
import type { ChartData } from '../../design/chart.ts'

/** Colours by their names in the stylesheet. Each line also has a pattern of its own. */
export type ChartColour = 'accent' | 'good' | 'warn' | 'bad' | 'muted' | 'series-2' | 'series-3'

export interface ChartSeries {
  readonly label: string
  readonly colour: ChartColour
  /** One for each position; null where there is no value. */
  readonly values: readonly (number | null)[]
  /** The exact texts of the values. The default is that of the axis. */
  readonly texts?: readonly string[]
}

export interface ChartProps extends ChartData {
  readonly title: string
  /** What the chart shows, in one sentence. */
  readonly sentence: string
  /** What the positions are, such as Time. */
  readonly positionTitle: string
  readonly series: readonly ChartSeries[]
  /** The index of the position at the crosshair. Charts that share it have a common crosshair. */
  readonly selected?: Signal<number | undefined>
}
