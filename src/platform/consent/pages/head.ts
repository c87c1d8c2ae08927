import { type Html, html } from './html.ts'

/** The files that a page needs, by their URLs. */
export interface PageFiles {
  readonly stylesheet: string
  readonly icon: string
}

/** The beginning of every page, up to its body. */
export function renderHead(title: string, { stylesheet, icon }: PageFiles): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="${stylesheet}">
<link rel="icon" href="${icon}">
</head>`
}
