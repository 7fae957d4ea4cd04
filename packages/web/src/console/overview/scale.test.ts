import { describe, expect, it } from 'vitest';
import { axisTicks, labelled, layOut } from './scale.ts';

describe('the axes of a chart', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [4, [0, 1, 2, 3, 4]],
    [5, [0, 2, 4, 6]],
    [9, [0, 5, 10]],
    [17, [0, 5, 10, 15, 20]],
    [99, [0, 50, 100]],
    [1234, [0, 500, 1000, 1500]],
    [2_000_000, [0, 500_000, 1_000_000, 1_500_000, 2_000_000]],
  ])('have ticks for values up to %i', (highest, ticks) => {
    expect(axisTicks(highest)).toEqual(ticks);
  });

  it('always label the last position, and others at equal distances if there is room', () => {
    const places = Array.from({ length: 24 }, (_, index) => index);
    expect(places.filter(labelled(24, 24))).toHaveLength(24);
    expect(places.filter(labelled(24, 4))).toEqual([5, 11, 17, 23]);
    expect(places.filter(labelled(24, 0))).toEqual([23]);
  });

  it.each([7, 24, 30])('the labels of %i positions do not overlap at any width of the chart', (count) => {
    const positions = Array.from({ length: count }, (_, index) => index);
    for (let width = 200; width <= 1000; width++) {
      const { hasLabel, labelAt } = layOut({ width, ticks: [0, 1], names: ['0', '1'], count });
      const places = positions.filter(hasLabel).map(labelAt);
      const distances = places.slice(1).map((place, index) => place - places[index]!);
      expect(Math.min(...distances), `distance at ${width} px`).toBeGreaterThan(51);
    }
  });
});
