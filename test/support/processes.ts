import { readdirSync, readFileSync } from 'node:fs'

/** By what the kernel tells, as there is no other way to see the workers from outside. */
export function childrenOf(parent: number | undefined): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const state = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))
        return Number(state?.[2]) === parent && state?.[1] !== 'Z'
      } catch {
        return false
      }
    })
    .map(Number)
}
