import { type CSSVariablesResolver, createTheme } from '@mantine/core';
import { brandColors } from '../brand-colors.ts';
import { settings } from '../ui/settings.ts';

const { color } = settings.brand;
const own = color === null ? undefined : brandColors(color);

export const theme = createTheme({
  primaryColor: 'gate',
  // Both shades have AA contrast: with white text on them, and as text on the background of their scheme.
  primaryShade: { light: 6, dark: 7 },
  colors: {
    gate: own?.shades ?? [
      '#e9f0fd',
      '#d2e0fb',
      '#a6c3f6',
      '#83adff',
      '#4f86ea',
      '#3070e0',
      '#1f5fd6',
      '#1b53bb',
      '#17479f',
      '#113576',
    ],
    // The greys of the dark scheme, in the tint of its backgrounds.
    dark: [
      '#e6e8ec',
      '#c6ccd6',
      '#a3abb8',
      '#8f98a6',
      '#414955',
      '#2e343d',
      '#242931',
      '#1b1f25',
      '#14171c',
      '#101317',
    ],
    // Mantine's own red is too light for white text.
    red: ['#fce9ea', '#f8d0d3', '#f3aab0', '#ff9aa2', '#f47f89', '#d9485a', '#c02b39', '#ad2330', '#8f1c27', '#70151e'],
  },
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // The settings of Popover also apply to the dropdowns of selects.
    Popover: {
      defaultProps: { shadow: 'md', styles: { dropdown: { borderColor: 'var(--line)' } } },
    },
    // The header of a dialog must not have the role `banner`, which belongs to the header of the page.
    Drawer: { defaultProps: { attributes: { header: { role: 'none' } } } },
    Modal: {
      defaultProps: { attributes: { header: { role: 'none' } } },
      styles: {
        content: { background: 'var(--ground-raised)' },
        header: { background: 'var(--ground-raised)' },
        title: { fontWeight: 650, lineHeight: 1.3, overflowWrap: 'anywhere' },
      },
    },
  },
});

/** Mantine's own greys do not have AA contrast on these backgrounds. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f6f7f9',
    '--mantine-color-text': '#1d2129',
    '--mantine-color-dimmed': '#586070',
    '--mantine-color-placeholder': '#697180',
    '--mantine-color-error': '#ad2330',
    ...(own && { '--mantine-color-anchor': own.links.light }),
  },
  dark: {
    '--mantine-color-body': '#14171c',
    '--mantine-color-text': '#e6e8ec',
    '--mantine-color-dimmed': '#a3abb8',
    '--mantine-color-placeholder': '#8f98a6',
    '--mantine-color-error': '#ff9aa2',
    '--mantine-color-anchor': own?.links.dark ?? '#83adff',
  },
});
