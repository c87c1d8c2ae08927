import { isWebUrl } from './value-rules.ts'

/** What the text of a setting may be. */
export interface ValueType<Value> {
  /** The name of the value in the help of a command. */
  readonly placeholder: string
  /** Completes "HOLDFAST_PORT must be …". */
  readonly mustBe: string
  /** Parses the text; undefined if it is invalid. */
  readonly read: (text: string) => Value | undefined
}

export const hostName: ValueType<string> = {
  placeholder: 'host',
  mustBe: 'a host name or IP address',
  read: (text) => (/^[\w.:-]+$/.test(text) ? text : undefined),
}

export const baseUrl: ValueType<string> = {
  placeholder: 'url',
  mustBe: 'an http or https URL without credentials and query',
  // Without a trailing slash: paths are appended to it.
  read: (text) => (isWebUrl(text) && !/[?#@]/.test(text) ? text.replace(/\/+$/, '') : undefined),
}

export const flag: ValueType<boolean> = {
  placeholder: 'boolean',
  mustBe: 'true or false',
  read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
}

export function wholeNumber(min: number, max: number): ValueType<number> {
  return {
    placeholder: 'number',
    mustBe: `a whole number from ${min} to ${max}`,
    read(text) {
      const value = Number(text)
      return /^\d{1,9}$/.test(text) && value >= min && value <= max ? value : undefined
    },
  }
}

export function oneOf<Value extends string>(
  placeholder: string,
  all: readonly Value[],
): ValueType<Value> {
  const mustBe = `one of ${all.join(', ')}`
  return { placeholder, mustBe, read: (text) => all.find((value) => value === text) }
}

export function path(mustBe: string): ValueType<string> {
  return { placeholder: 'file', mustBe, read: (text) => text || undefined }
}
