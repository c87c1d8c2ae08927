/** Shown while data is loaded. The stylesheet delays it, so that a fast response does not flicker. */
export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="skeleton-line" aria-hidden="true" />
      ))}
    </div>
  )
}
