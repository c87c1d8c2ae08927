import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

const ivBytes = 12
const tagBytes = 16

/** A key for one purpose, from a secret that cannot be guessed. */
export function deriveKey(secret: string | Buffer, purpose: string): Buffer {
  return createHmac('sha256', secret).update(purpose).digest()
}

/** Encrypts and authenticates a text. */
export function seal(key: Buffer, text: string): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

/** The text that was sealed. Throws if it was changed, or sealed with another key. */
export function unseal(key: Buffer, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  const text = [decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]
  return Buffer.concat(text).toString()
}
