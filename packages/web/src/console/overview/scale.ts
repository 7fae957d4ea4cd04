export const HEIGHT_PX = 190;
export const TOP = 8;
const BOTTOM_PX = 26;
const LABEL_PX = 52;
const DIGIT_PX = 7.5;

export interface Bar {
  readonly at: string;
  readonly value: number;
  /** Shown on the axis if there is room. */
  readonly tick: string;
  readonly label: string;
  /** The hour or day of the bar is not over yet. */
  readonly open: boolean;
}

const STEPS = [1, 2, 5];

/** Returns the ticks of an axis for whole numbers, from 0 to at least `highest`: at most `lines` of them above 0. */
export function axisTicks(highest: number, lines = 4): number[] {
  const top = Math.max(1, highest);
  let step = 1;
  for (let power = 1; Math.ceil(top / step) > lines; power *= 10) {
    step = STEPS.map((unit) => unit * power).find((size) => Math.ceil(top / size) <= lines) ?? step;
  }
  return Array.from({ length: Math.ceil(top / step) + 1 }, (_, index) => index * step);
}

/** Returns which positions get a label so that labels do not overlap: the last one and others at equal distances. */
export function labelled(count: number, room: number): (index: number) => boolean {
  const every = Math.max(1, Math.ceil(count / Math.max(1, room)));
  return (index) => (count - 1 - index) % every === 0;
}

interface Room {
  readonly width: number;
  readonly ticks: readonly number[];
  readonly names: readonly string[];
  readonly count: number;
}

/** Returns the positions of all parts of a chart, in pixels. */
export function layOut({ width, ticks, names, count }: Room) {
  const left = Math.max(...names.map((name) => name.length)) * DIGIT_PX + 10;
  const room = Math.max(0, width - left);
  const step = room / count;
  const middle = (index: number) => left + (index + 0.5) * step;
  // The last label is moved to the left if it would overflow the chart. All labels get that much more room.
  const lastLabel = Math.min(middle(count - 1), width - LABEL_PX / 2 + 4);
  const labelRoom = LABEL_PX + middle(count - 1) - lastLabel;
  return {
    width,
    left,
    middle,
    y: (value: number) => TOP + (1 - value / ticks.at(-1)!) * (HEIGHT_PX - TOP - BOTTOM_PX),
    /** `share`: the part of its column that the bar fills, centred. */
    column: (index: number, share = 1) => ({ x: middle(index) - (step * share) / 2, width: step * share }),
    hasLabel: labelled(count, Math.floor(room / labelRoom)),
    labelAt: (index: number) => Math.min(middle(index), lastLabel),
  };
}
export type Layout = ReturnType<typeof layOut>;
