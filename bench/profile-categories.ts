import type { Profiler } from 'node:inspector'

export const categories = [
  'signature',
  'HTTP and sockets of Node',
  'replay record',
  'page',
  'token parsing',
  'our hooks',
  'Fastify',
  'clock',
  'driver of PostgreSQL',
  'runtime',
  'compiler and other threads',
] as const
export type Category = (typeof categories)[number]

/** By the URL of a call frame: the first pattern that matches. */
const patterns: readonly (readonly [RegExp, Category])[] = [
  [/^node:internal\/crypto\/sig$/, 'signature'],
  [/\/src\/(server\/clock|provider\/time-window)\.ts$|^node:internal\/perf\//, 'clock'],
  [/\/src\/storage\/\w+\/replay\//, 'replay record'],
  [/\/src\/auth\/|\/src\/contract\/(json-text|parse-json)\.ts$/, 'token parsing'],
  [/\/src\/(storage|provider)\/|\/src\/contract\/page-body\.ts$/, 'page'],
  [/\/node_modules\/pg(-|\/)/, 'driver of PostgreSQL'],
  [/\/node_modules\/pino/, 'our hooks'],
  [/\/node_modules\//, 'Fastify'],
  [/\/(src|bench)\//, 'our hooks'],
  [
    /^node:(_http|net$|internal\/(stream_base_commons$|streams\/|http$))/,
    'HTTP and sockets of Node',
  ],
]

/** The engine's code that both the replay record and the page use: it belongs to its caller. */
const shared = /\/src\/storage\/\w+\/driver\//

/** Functions of V8 that do not run JavaScript. */
const idle = '(idle)'

function findCategory({ url }: { readonly url: string }, caller: Category): Category {
  if (shared.test(url) && caller === 'replay record') return caller
  const [, category] = patterns.find(([pattern]) => pattern.test(url)) ?? []
  // What Node and V8 do for a function belongs to it.
  return category ?? caller
}

/** The microseconds of the main thread by category. Time without work is left out. */
export function sumByCategory({
  nodes,
  samples = [],
  timeDeltas = [],
}: Profiler.Profile): Map<Category, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const found = new Map<number, Category | undefined>()
  const visit = (node: Profiler.ProfileNode, caller: Category): void => {
    const isIdle = node.callFrame.functionName === idle
    const category = findCategory(node.callFrame, caller)
    found.set(node.id, isIdle ? undefined : category)
    for (const id of node.children ?? []) {
      const child = byId.get(id)
      if (child) visit(child, category)
    }
  }
  const [root] = nodes
  if (root) visit(root, 'runtime')
  const sums = new Map<Category, number>()
  const interval = findInterval(timeDeltas)
  for (const [index, id] of samples.entries()) {
    const category = found.get(id)
    const microseconds = toCpuTime(timeDeltas[index] ?? 0, interval)
    if (category) sums.set(category, (sums.get(category) ?? 0) + microseconds)
  }
  return sums
}

/** The time between two samples of a thread that runs. */
function findInterval(deltas: readonly number[]): number {
  const sorted = deltas.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 4)] ?? 0
}

/**
 * The CPU time since the sample before. A thread that waits for the disk or for a core is sampled only when it runs again:
 * on average, it ran for half an interval before it waited.
 */
function toCpuTime(delta: number, interval: number): number {
  return delta > 1.5 * interval ? interval / 2 : delta
}
