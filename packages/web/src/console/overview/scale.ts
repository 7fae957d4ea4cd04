export const HEIGHT = 190;
export const TOP = 8;
const BOTTOM = 26;
/** What a label below the axis takes. */
const LABEL = 52;
/** What a digit beside it takes. */
const DIGIT = 7.5;

export interface Bar {
  readonly at: string;
  readonly value: number;
  /** On the axis, where there is room. */
  readonly tick: string;
  /** All that the bar says, in words. */
  readonly label: string;
  /** Its time is not over yet. */
  readonly open: boolean;
}

/** Steps that people count in. */
const STEPS = [1, 2, 5];

/** The lines of an axis for whole numbers, from 0 to the first one that is no less than the highest: at most `lines` of them above 0. */
export function axisTicks(highest: number, lines = 4): number[] {
  const top = Math.max(1, highest);
  let step = 1;
  for (let power = 1; Math.ceil(top / step) > lines; power *= 10) {
    step = STEPS.map((unit) => unit * power).find((size) => Math.ceil(top / size) <= lines) ?? step;
  }
  return Array.from({ length: Math.ceil(top / step) + 1 }, (_, index) => index * step);
}

/** Which of many places on an axis get a label, so that they do not touch: the last one does, and those at equal distances before it. */
export function labelled(count: number, room: number): (index: number) => boolean {
  const every = Math.max(1, Math.ceil(count / Math.max(1, room)));
  return (index) => (count - 1 - index) % every === 0;
}

interface Room {
  readonly width: number;
  readonly ticks: readonly number[];
  readonly names: readonly string[];
  /** How many bars. */
  readonly count: number;
}

/** Where everything of a chart is, in pixels. */
export function layOut({ width, ticks, names, count }: Room) {
  const left = Math.max(...names.map((name) => name.length)) * DIGIT + 10;
  const room = Math.max(0, width - left);
  const step = room / count;
  const middle = (index: number) => left + (index + 0.5) * step;
  return {
    width,
    left,
    middle,
    y: (value: number) => TOP + (1 - value / ticks.at(-1)!) * (HEIGHT - TOP - BOTTOM),
    /** The share of its column that it takes, in the middle. */
    column: (index: number, share = 1) => ({ x: middle(index) - (step * share) / 2, width: step * share }),
    hasLabel: labelled(count, Math.floor(room / LABEL)),
    // The last one would stick out.
    labelAt: (index: number) => Math.min(middle(index), width - LABEL / 2 + 4),
  };
}
export type Layout = ReturnType<typeof layOut>;
