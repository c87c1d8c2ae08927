import type { ComponentChildren } from 'preact'

export interface Titled {
  readonly title: string
  readonly children?: ComponentChildren
}

/** The pages above a page, the highest first. */
export type Crumbs = readonly (readonly [title: string, href: string])[]

/**
 * The heading of a view, which gets the focus when the view is opened: where the view is, its name and state, one line
 * that says what is true now, and its actions.
 */
export function PageHeading({
  title,
  crumbs = [],
  state,
  about,
  children,
}: Titled & {
  readonly crumbs?: Crumbs
  /** A badge beside the name. */
  readonly state?: ComponentChildren
  readonly about?: ComponentChildren
}) {
  return (
    <>
      {crumbs.length > 0 && (
        <nav class="crumbs" aria-label="Breadcrumbs">
          <ol>
            {crumbs.map(([name, href]) => (
              <li key={href}>
                <a href={href}>{name}</a>
              </li>
            ))}
            <li aria-current="page">{title}</li>
          </ol>
        </nav>
      )}
      <div class="page-heading">
        <div class="page-title">
          <div class="title-line">
            <h1 tabIndex={-1}>{title}</h1>
            {state}
          </div>
          {about !== undefined && <p class="about">{about}</p>}
        </div>
        {children && <div class="buttons">{children}</div>}
      </div>
    </>
  )
}
