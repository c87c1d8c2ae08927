import { hash } from 'node:crypto'

/** The lower bits of an account's number count accounts, the upper bits are its partition. */
export const partitionBits = 40n

/** The range of numbers for an account with this id (as stored): the first, and one past the last. */
export function accountNumberRange(id: string, partitions: number): readonly [string, string] {
  const digest = hash('sha256', id, 'buffer')
  const partition = BigInt(digest.readUInt16BE(0) % partitions)
  return [String(partition << partitionBits), String((partition + 1n) << partitionBits)]
}
