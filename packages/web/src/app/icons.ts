/** The icons that only the app uses, on the same grid as those of `ui/Icon.tsx`. */
export const APP_ICONS = {
  add: 'M12 5v14M5 12h14',
  app: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM16.5 13v7M13 16.5h7',
  audit: 'M6 3h9l4 4v14H6zM9 11h6M9 15h6',
  bolt: 'M13 3 5 14h6l-1 7 8-11h-6z',
  chart: 'M4 4v16h16M8 16v-4M12 16V8M16 16v-6',
  check: 'M5 12.5 10 17 19 7',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  device: 'M3 5h18v11H3zM8 20h8M12 16v4',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  enter: 'M14 4h5v16h-5M4 12h11M11 8l4 4-4 4',
  exit: 'M10 4H5v16h5M9 12h11M16 8l4 4-4 4',
  flag: 'M6 21V4h12l-3 4 3 4H6',
  globe: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c-5 5-5 13 0 18M12 3c5 5 5 13 0 18',
  key: 'M8 15a4 4 0 1 1 3.5-2L21 13v4h-3v-2h-3M7.5 11v.01',
  machine: 'M5 9h14v10H5zM12 9V5M9 5h6M9 13v2M15 13v2M2 13v2M22 13v2',
  minus: 'M5 12h14',
  plug: 'M9 3v5M15 3v5M6 8h12v4a6 6 0 0 1-12 0zM12 18v3',
  print: 'M7 8V3h10v5M7 17H4V8h16v9h-3M7 14h10v7H7z',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 21 21',
  shield: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6z',
  sliders: 'M4 7h9M19 7h1M4 17h1M11 17h9M16 4v6M8 14v6',
  users:
    'M9 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21v-1a6 6 0 0 1 6-6h2a6 6 0 0 1 6 6v1M16 4a4 4 0 0 1 0 8M19 14.5A6 6 0 0 1 22 20v1',
} as const;
export type AppIcon = keyof typeof APP_ICONS;
