import { describe, expect, it } from 'vitest';
import { brandColors, contrast } from './brand-colors.ts';

describe('brandColors', () => {
  it.each(['#000000', '#1f5fd6', '#767676', '#b00020', '#0000ff', '#006400'])(
    'tints of %s have AA contrast in both schemes',
    (color) => {
      const { links, washes, shades } = brandColors(color);
      for (const ground of ['#ffffff', '#f6f7f9', '#f1f3f6']) {
        expect(contrast(links.light, ground)).toBeGreaterThanOrEqual(4.5);
      }
      for (const ground of ['#1b1f25', '#14171c', '#101317', '#242931']) {
        expect(contrast(links.dark, ground)).toBeGreaterThanOrEqual(4.5);
      }
      expect(contrast(links.dark, washes.dark)).toBeGreaterThan(3);
      for (const shade of shades.slice(6)) expect(contrast(shade, '#ffffff')).toBeGreaterThanOrEqual(4.5);
      expect(shades[6]).toBe(color);
      for (const shade of shades) expect(shade).toMatch(/^#[0-9a-f]{6}$/);
    },
  );
});
