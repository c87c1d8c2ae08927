/** How often processes are killed. `npm run test:kill` kills fifty. */
export const killCount = Number(process.env['KILLS'] ?? 2)

/** A deterministic source of whole numbers from 0 to below `limit`; with `KILL_SEED`, another sequence. */
export function randomSource(): (limit: number) => number {
  let state = Number(process.env['KILL_SEED'] ?? 1)
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}
