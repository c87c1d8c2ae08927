import { colours, type Theme } from './tokens.ts'

/** The contrast that WCAG 2.2 AA requires of text. */
export const contrastMin = 4.5

/** The contrast ratio of two colours such as #0b5fff, as WCAG defines it. */
export function contrast(first: string, second: string): number {
  const [light = 0, dark = 0] = [luminance(first), luminance(second)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(colour.slice(start, start + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** A brand's colour, mixed with black or white until text in it is readable on every surface of the theme. */
export function adjustAccent(colour: string, theme: Theme): string {
  const { page, surface, raised, sunken } = colours[theme]
  const target = theme === 'light' ? 0 : 255
  for (let share = 0; ; share += 0.05) {
    const mixed = mix(colour, target, Math.min(share, 1))
    const isReadable = [page, surface, raised, sunken].every(
      (other) => contrast(mixed, other) >= contrastMin,
    )
    if (isReadable || share >= 1) return mixed
  }
}

/** The colour of text on a button. */
export function textOn(colour: string): string {
  return contrast(colour, '#ffffff') >= contrast(colour, '#000000') ? '#ffffff' : '#000000'
}

/** The accent of a brand in a theme. */
export function brandColours(colour: string): (theme: Theme) => Record<string, string> {
  return (theme) => {
    const accent = adjustAccent(colour, theme)
    return { accent, 'on-accent': textOn(accent) }
  }
}

function mix(colour: string, target: number, share: number): string {
  const parts = [1, 3, 5].map((start) => {
    const value = Number.parseInt(colour.slice(start, start + 2), 16)
    return Math.round(value + (target - value) * share)
      .toString(16)
      .padStart(2, '0')
  })
  return `#${parts.join('')}`
}
