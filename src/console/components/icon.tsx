/** Outlines on a grid of 24, drawn with the colour of the text. */
const paths = {
  anchor: 'M12 8v13M5 13c0 5 3 8 7 8s7-3 7-8M8 12h8M15 5a3 3 0 1 1-6 0 3 3 0 0 1 6 0z',
  home: 'M3 12l9-8 9 8v8a1 1 0 0 1-1 1h-5v-6H9v6H4a1 1 0 0 1-1-1z',
  list: 'M4 5h16M4 12h16M4 19h10',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM21 21l-5-5',
  shield: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6z',
  check: 'M4 12l5 5L20 6',
  pulse: 'M3 17l5-6 4 4 8-10',
  code: 'M8 6l-5 6 5 6M16 6l5 6-5 6',
  report: 'M6 3h9l4 4v14H6zM9 12h7M9 16h7',
  info: 'M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0zM12 11v6M12 7v.5',
  people: 'M15 8a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM3 21c0-4 3.5-6 8-6s8 2 8 6',
} as const

export type IconName = keyof typeof paths

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
