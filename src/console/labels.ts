import { toLabel } from '../contract/labels.ts'

/** `5000` as "5,000", or as "5,000 products" with the noun "product". */
export function formatCount(count: number, noun?: string): string {
  const text = count.toLocaleString('en')
  return noun === undefined ? text : `${text} ${noun}${count === 1 ? '' : 's'}`
}

export function formatMs(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}

/** A duration in milliseconds, or in seconds if it is longer than one. */
export function formatSeconds(seconds: number): string {
  const ms = seconds * 1000
  if (ms >= 1000) return `${seconds.toLocaleString('en', { maximumFractionDigits: 2 })} s`
  return `${ms.toLocaleString('en', { maximumFractionDigits: ms < 10 ? 1 : 0 })} ms`
}

/** A time span of any length in its greatest unit, such as "30 s" or "2 h". */
export function formatSpan(seconds: number): string {
  if (seconds < 10) return `${Math.max(0, Math.round(seconds * 10) / 10)} s`
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
  return formatCount(Math.round(seconds / 86_400), 'day')
}

/** The names of fields and of values in a sentence as people read them: `is required when fee_type is PERIODIC`. */
export function humanize(sentence: string): string {
  return sentence
    .replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => toLabel(name).toLowerCase())
    .replaceAll(/\b[A-Z]+(?:_[A-Z\d]+)+\b|(?<= is )[A-Z]{3,}\b/g, toLabel)
}
