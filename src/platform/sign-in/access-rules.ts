import { type Scope, scopes } from '../../contract/index.ts'

/** The scopes that each value of a claim gives. */
export type AccessRules = ReadonlyMap<string, readonly Scope[]>

const valuesMax = 1000

/**
 * Parses `products.write=pricing,managers;operations.read=operators`. A value is percent-encoded where it contains a comma,
 * a semicolon or a percent sign. Undefined if the text is invalid. No session can send data, which `data.write` permits.
 */
export function parseAccessRules(text: string): AccessRules | undefined {
  const rules = new Map<string, Scope[]>()
  for (const rule of text.split(';').map((part) => part.trim())) {
    const [, name = '', values = ''] = /^([\w.]+)=(.+)$/.exec(rule) ?? []
    const scope = scopes.find((each) => each === name && each !== 'data.write')
    if (!scope) return undefined
    for (const encoded of values.split(',')) {
      const value = decode(encoded.trim())
      if (!value) return undefined
      rules.getOrInsertComputed(value, () => []).push(scope)
    }
  }
  return rules.size <= valuesMax ? rules : undefined
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The scopes of a person: a claim is a text or a list of texts. */
export function findScopes(rules: AccessRules, claim: unknown): Scope[] {
  const values = [claim].flat().filter((value) => typeof value === 'string')
  const granted = new Set(values.flatMap((value) => rules.get(value) ?? []))
  return scopes.filter((scope) => granted.has(scope))
}
