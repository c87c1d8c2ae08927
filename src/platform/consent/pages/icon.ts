/** The icon of the pages, in the colour of the brand. Without one, browsers ask for /favicon.ico. */
export function renderIcon(colour: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${colour}"/></svg>`
}

export const iconType = 'image/svg+xml'
