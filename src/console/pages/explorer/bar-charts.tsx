import { Chart } from '../../components/chart.tsx'
import type { ChartColour } from '../../components/chart-props.ts'
import { groupDigits } from '../../components/money.tsx'

export interface BarChart {
  readonly title: string
  readonly sentence: string
  /** Of the values on the axis. */
  readonly unit: string
  /** Exact decimals, one for each label. Lengths need no exact numbers. */
  readonly bars: readonly (readonly [label: string, colour: ChartColour, decimals: string[]])[]
}

const compact = new Intl.NumberFormat('en', { notation: 'compact' })

/** The charts of an account, with the same labels on the horizontal axis. */
export function BarCharts({
  positionTitle,
  labels,
  charts,
}: {
  readonly positionTitle: string
  readonly labels: readonly string[]
  readonly charts: readonly BarChart[]
}) {
  return (
    <div class="account-charts">
      <h2 class="visually-hidden">Charts</h2>
      {charts.map(({ title, sentence, unit, bars }) => (
        <Chart
          key={title}
          kind="bars"
          title={title}
          sentence={sentence}
          unit={unit}
          positionTitle={positionTitle}
          positions={[...labels.keys()]}
          formatPosition={(index) => labels[index] ?? ''}
          format={(value) => compact.format(value)}
          series={bars.map(([label, colour, decimals]) => ({
            label,
            colour,
            values: decimals.map(Number),
            texts: decimals.map(groupDigits),
          }))}
        />
      ))}
    </div>
  )
}
