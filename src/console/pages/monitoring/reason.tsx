import { capitalize } from '../../../contract/labels.ts'
import { explainReason } from './reasons.ts'

/** Why a request was rejected, in plain words. */
export function nameReason(reason: string): string {
  return explainReason(reason) ?? capitalize(reason)
}

/** The reason as the log has it, beside its plain words. Nothing if it is in plain words itself. */
export function ReasonCode({ reason }: { readonly reason: string }) {
  return explainReason(reason) === undefined ? null : <code class="muted">{reason}</code>
}
