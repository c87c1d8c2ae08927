import type { Signal } from '@preact/signals'

/** Colours by their names in the stylesheet. Each line also has a pattern of its own. */
export type ChartColour = 'accent' | 'good' | 'warn' | 'bad' | 'muted' | 'ink'

export interface ChartSeries {
  readonly label: string
  readonly colour: ChartColour
  /** One for each position; null where there is no value. */
  readonly values: readonly (number | null)[]
  /** The exact texts of the values. The default is that of the axis. */
  readonly texts?: readonly string[]
}

export interface ChartProps {
  readonly kind: 'lines' | 'bars'
  readonly title: string
  /** What the chart shows, in one sentence. */
  readonly sentence: string
  /** What the positions are, such as Time. */
  readonly positionTitle: string
  /** Ascending. Lines are drawn to scale, bars beside each other. */
  readonly positions: readonly number[]
  readonly formatPosition: (position: number) => string
  readonly series: readonly ChartSeries[]
  /** The text of a value on the axis. */
  readonly format: (value: number) => string
  /** The first and the last position of the axis. By default, those of the data. */
  readonly range?: readonly [number, number] | undefined
  /** The index of the position at the crosshair. Charts that share it have a common crosshair. */
  readonly selected?: Signal<number | undefined>
}
