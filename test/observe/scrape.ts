import assert from 'node:assert/strict'
import type { Server } from '../support/process.ts'

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g

/** Parses the Prometheus text format. Fails on lines that it does not recognise. */
export function parseSamples(text: string): Sample[] {
  assert.ok(text.endsWith('\n'))
  return text
    .split('\n')
    .filter((line) => line !== '' && !/^# (HELP|TYPE) \w+ /.test(line))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = sampleLine.exec(line) ?? assert.fail(line)
      assert.ok(value === 'Nan' || Number.isFinite(Number(value)), line)
      const pairs = [...labels.matchAll(label)].map(([, key = '', text = '']) => [key, text])
      return { name, labels: Object.fromEntries(pairs), value: Number(value) }
    })
}

export async function scrape({ metrics }: Pick<Server, 'metrics'>): Promise<Sample[]> {
  const response = await fetch(metrics)
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  return parseSamples(await response.text())
}

/** The sum of the samples with this name and these labels. */
export function sampleValue(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
}
