import { hash } from 'node:crypto'

/** The lower bits of an account's number count accounts, the upper bits are its partition. */
export const partitionBits = 40n

/** The table with the entries of the accounts of a partition. */
export const partitionTable = (partition: number): string => `entry_${partition}`

/**
 * The partition of an account with this id (as stored): the first two bytes of its digest. Text is cheaper than a
 * buffer.
 */
export function findPartition(id: string, partitions: number): number {
  return Number.parseInt(hash('sha256', id, 'hex').slice(0, 4), 16) % partitions
}
