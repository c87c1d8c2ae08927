import { iconType } from '../platform/consent/pages/icon.ts'

const colour = '#6b2fa0'

/** How the provider of the demo presents itself to its customers. */
export const bankBrand = { brandName: 'Demo Bank', brandColour: colour } as const

/** A bank with columns, on a surface of its own, so that it is visible in light and dark. */
export const bankLogo = {
  type: iconType,
  extension: 'svg',
  content: Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${colour}"/><path fill="#fff" d="M16 5 5 11v3h22v-3zM7 16h3v7H7zm7.5 0h3v7h-3zm7.5 0h3v7h-3zM5 24.5h22V27H5z"/></svg>`,
  ),
} as const
