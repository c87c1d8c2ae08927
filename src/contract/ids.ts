import { scalars } from './scalars.ts'

/** Whether a record can have the id. */
export const isId: (text: string) => boolean = scalars.id.test

/**
 * The ids that a client may send in a path. Many servers decode and normalise paths, so that `..%2F..%2Fc2` is a path to
 * another resource than the one that the token is for.
 */
export const pathId = {
  mustBe: `${scalars.id.mustBe}, without \\ and the path segments . and ..`,
  test: (text: string): boolean =>
    isId(text) && !text.includes('\\') && !/(^|\/)\.{1,2}(\/|$)/.test(text),
}

/**
 * Whether a guard may forward the id in a path, to servers that it does not know. Some read the decoded character as the end
 * of a segment, or as that of the path; and what is decoded twice may become such a character.
 */
export function isForwardable(id: string): boolean {
  return pathId.test(id) && !/[/?#;]|%[0-9a-f]{2}/i.test(id)
}
