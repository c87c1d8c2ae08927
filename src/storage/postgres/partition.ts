import { hash } from 'node:crypto'

/** The bits of an account's number that count accounts; the table that it is in stands above them. */
export const partitionBits = 40n

/** The numbers that an account with this id (as the database writes it) can have: the first, and one past the last. */
export function numbersOf(id: string, partitions: number): readonly [string, string] {
  const digest = hash('sha256', id, 'buffer')
  const partition = BigInt(digest.readUInt16BE(0) % partitions)
  return [String(partition << partitionBits), String((partition + 1n) << partitionBits)]
}
