import type { AppIcon } from '../app/icons.ts';

/** Line icons on a grid of 24, in the colour of the surrounding text. */
const HOSTED = {
  alert: 'M12 4 2.5 20h19zM12 10v4M12 17v.01',
  building: 'M5 21V4h9v17M14 10h5v11M3 21h18M8 8h3M8 12h3M8 16h3',
  choice: 'M7 9.5l5-5 5 5M7 14.5l5 5 5-5',
  eye: 'M2 12s3.5-7 10-7 10 7 10 7-3.5 7-10 7S2 12 2 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  'eye-off':
    'M4 4l16 16M9.9 5.2A10 10 0 0 1 12 5c6.5 0 10 7 10 7a17 17 0 0 1-3 3.8M6.3 6.6A16.5 16.5 0 0 0 2 12s3.5 7 10 7a10 10 0 0 0 5-1.3M10 10a3 3 0 0 0 4 4',
  gate: 'M4 21V10a8 8 0 0 1 16 0v11M9 21v-9a3 3 0 0 1 6 0v9M2 21h20',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5M12 8v.01',
  mail: 'M3 6h18v12H3zM3 7l9 7 9-7',
  passkey: 'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21v-2a5 5 0 0 1 5-5h4M18 15a3 3 0 1 0-1 0v6l1.5-1.5L17 18',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21v-1a6 6 0 0 1 6-6h4a6 6 0 0 1 6 6v1',
} as const;
export type IconName = keyof typeof HOSTED | AppIcon;

/** The hosted pages need only these icons; the app adds its own with `addIcons`. */
const paths: Partial<Record<IconName, string>> = { ...HOSTED };
export const addIcons = (more: Readonly<Record<AppIcon, string>>): void => {
  Object.assign(paths, more);
};

interface Props {
  readonly name: IconName;
  readonly size?: number;
}

/** Always beside text, never instead of it, so it is hidden from screen readers. */
export const Icon = ({ name, size = 18 }: Props) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.8}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    <path d={paths[name]} />
  </svg>
);
