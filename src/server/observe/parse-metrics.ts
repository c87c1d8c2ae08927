/** One line of the Prometheus text format. */
export interface MetricLine {
  readonly name: string
  readonly labels: ReadonlyMap<string, string>
  readonly value: number
}

/** The most lines that are used: more than a server of Holdfast has. */
const linesMax = 50_000

const linePattern = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?[ \t]+(\S+)/
/** Sticky, so that it takes linear time for any text: a search would start again at each character of a long name. */
const labelPattern = /[\s,]*([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/gy

/** Parses metrics, by the text of each line before its value. Lines that it does not recognise are ignored. */
export function parseMetrics(text: string): Map<string, MetricLine> {
  const lines = new Map<string, MetricLine>()
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [, name = '', labels = '', number] = linePattern.exec(line) ?? []
    const value = Number(number)
    if (!Number.isFinite(value) || value < 0) continue
    if (lines.size >= linesMax) break
    lines.set(`${name}{${labels}}`, { name, labels: parseLabels(labels), value })
  }
  return lines
}

function parseLabels(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(labelPattern)].map(([, label = '', value = '']) => [
      label,
      unescapeLabel(value),
    ]),
  )
}

function unescapeLabel(value: string): string {
  return value.replaceAll(/\\(.)/g, (_, character) => (character === 'n' ? '\n' : character))
}
