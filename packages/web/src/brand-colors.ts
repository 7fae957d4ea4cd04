/** Tints of the brand colour. `links` have AA contrast as text on all backgrounds of their scheme. */
interface BrandColors {
  readonly links: { readonly light: string; readonly dark: string };
  readonly washes: { readonly light: string; readonly dark: string };
  /** From light to dark, as Mantine expects; the shade with index 6 is the brand colour itself. */
  readonly shades: readonly [string, string, string, string, string, string, string, string, string, string];
}

type Rgb = readonly [number, number, number];

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** The backgrounds with the least contrast to text of each scheme. */
const LIGHT_GROUND: Rgb = [0xf1, 0xf3, 0xf6];
const DARK_GROUND: Rgb = [0x24, 0x29, 0x31];
const MIN_CONTRAST = 4.5;

const parse = (color: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as never;
const write = (color: Rgb): string =>
  `#${color.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;
const mix = (color: Rgb, other: Rgb, share: number): Rgb =>
  color.map((channel, index) => channel + (other[index]! - channel) * share) as never;

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((value) => {
    const channel = value / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

export const contrast = (one: string, other: string): number => contrastOf(parse(one), parse(other));

function contrastOf(one: Rgb, other: Rgb): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high! + 0.05) / (low! + 0.05);
}

/** Mixes the colour with black or white until it is readable on the background. */
function readableOn(ground: Rgb, color: Rgb, towards: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.02) {
    // Rounded to `#rrggbb` first: rounding can lower the contrast of the colour that is sent.
    const mixed = parse(write(mix(color, towards, share)));
    if (contrastOf(mixed, ground) >= MIN_CONTRAST) return mixed;
  }
  return towards;
}

/** `color` is `#rrggbb` and has AA contrast to white text. */
export function brandColors(color: string): BrandColors {
  const solid = parse(color);
  const light = (share: number) => write(mix(solid, WHITE, share));
  const dark = (share: number) => write(mix(solid, BLACK, share));
  const links = {
    light: write(readableOn(LIGHT_GROUND, solid, BLACK)),
    dark: write(readableOn(DARK_GROUND, solid, WHITE)),
  };
  return {
    links,
    washes: { light: light(0.9), dark: write(mix(solid, DARK_GROUND, 0.8)) },
    shades: [
      light(0.9),
      light(0.8),
      light(0.6),
      links.dark,
      light(0.2),
      light(0.1),
      color,
      dark(0.12),
      dark(0.25),
      dark(0.45),
    ],
  };
}
