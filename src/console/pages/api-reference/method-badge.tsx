/** The method of an operation: those that may change something are marked. */
export function MethodBadge({ method }: { readonly method: string }) {
  return <span class={`method ${method === 'GET' ? 'reads' : 'sends'}`}>{method}</span>
}
