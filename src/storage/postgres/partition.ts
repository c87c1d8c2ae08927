import { hash } from 'node:crypto'

/** The lower bits of an account's number count accounts, the upper bits are its partition. */
export const partitionBits = 40n

/** The table with the entries of the accounts of a partition. */
export const partitionTable = (partition: number): string => `entry_${partition}`

/** The partition of an account with this id (as stored). */
export function findPartition(id: string, partitions: number): number {
  return hash('sha256', id, 'buffer').readUInt16BE(0) % partitions
}
