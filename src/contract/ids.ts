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
 * Characters that some servers read as the end of a segment or of the path, among them slashes that are replaced by an ASCII
 * character; encoded ones, which a second server decodes; and one or two dots, alone or with what a server may trim.
 */
const unsafe =
  /[\\/?#;\u2044\u2215\u2216]|%(u|[0-9a-f]{2})|^([\s\p{Default_Ignorable_Code_Point}]*\.){1,2}[\s\p{Default_Ignorable_Code_Point}]*$/iu

/** Whether a guard may forward the id in a path, to servers that it does not know. Some of them normalise Unicode. */
export function isForwardable(id: string): boolean {
  return isId(id) && !unsafe.test(id) && !unsafe.test(id.normalize('NFKC'))
}
