/** `Buffer.allocUnsafe` takes smaller buffers from a pool that others share. */
const ownMemoryBytesMin = Buffer.poolSize >>> 1

/** Whether the buffer is so large that its memory should be released early. */
export function isLarge({ length }: Buffer): boolean {
  return length >= ownMemoryBytesMin
}

/**
 * Frees the memory of a large buffer that nothing reads or writes any more. V8 would free it at its next collection, and
 * it starts one only after 64 MB of such memory.
 */
export function releaseMemory(bytes: Buffer): void {
  if (isLarge(bytes) && bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0)
}
