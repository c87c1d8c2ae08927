import { readFileSync } from 'node:fs'
import * as contractLimits from '../src/contract/limits.ts'
import { httpLimits } from '../src/http/limits.ts'
import { page, table } from './markdown.ts'

/** The limits that the code states, with the comments beside them. */
export function limitsPage(): string {
  return page(
    '# Limits',
    'The limits that are part of the code. [Settings](settings.md) has those that can be configured, and [Overload and limits](../guides/overload-and-limits.md) explains what happens at a limit.',
    '## Interface',
    'Records, requests and responses.',
    limitsTable('src/contract/limits.ts', contractLimits),
    '## Process',
    'Each process of a server: with several workers, each worker has these limits.',
    limitsTable('src/http/limits.ts', { ...httpLimits }),
  )
}

/** A comment describes the names that follow it, until a blank line or the next comment. */
function limitsTable(file: string, values: Readonly<Record<string, number>>): string {
  const source = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
  const declared = /\/\*\*((?:(?!\*\/).)*)\*\/\n((?:(?:export const \w+ =| +\w+:) [^\n{]+\n)+)/gs
  const rows = [...source.matchAll(declared)].map(([, comment = '', declarations = '']) => {
    const names = [...declarations.matchAll(/^(?:export const)? *(\w+)/gm)].map(
      ([, name = '']) => name,
    )
    return [
      names.map((name) => `\`${name}\``).join(', '),
      comment.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim(),
      names.map((name) => formatLimit(name, values[name] ?? Number.NaN)).join(', '),
    ]
  })
  return table(['Name', 'Description', 'Limit'], rows)
}

function formatLimit(name: string, value: number): string {
  if (value === Infinity) return 'none'
  if (/Bytes/.test(name)) {
    return value >= 2 ** 20 ? `${value / 2 ** 20} MiB` : `${value / 2 ** 10} KiB`
  }
  if (name.endsWith('Ms')) return value >= 1000 ? `${value / 1000} s` : `${value} ms`
  if (name.endsWith('Seconds')) return value < 3600 ? `${value / 60} min` : `${value / 3600} h`
  if (/Months/.test(name)) return `${value} months`
  return value.toLocaleString('en')
}
