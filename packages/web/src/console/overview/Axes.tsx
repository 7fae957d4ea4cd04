import classes from './BarChart.module.css';
import { type Bar, HEIGHT_PX, type Layout } from './scale.ts';

interface Props {
  readonly place: Layout;
  readonly ticks: readonly number[];
  readonly names: readonly string[];
  readonly bars: readonly Bar[];
}

/** Hidden from screen readers: each bar has a complete label. */
export const Axes = ({ place, ticks, names, bars }: Props) => (
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it is focusable
  <g aria-hidden="true">
    {ticks.map((tick, index) => (
      <g key={tick}>
        <line className={classes.line} x1={place.left} x2={place.width} y1={place.y(tick)} y2={place.y(tick)} />
        <text className={classes.text} x={place.left - 8} y={place.y(tick)} dy="0.35em" textAnchor="end">
          {names[index]}
        </text>
      </g>
    ))}
    {bars.map(
      ({ at, tick }, index) =>
        place.hasLabel(index) && (
          <text key={at} className={classes.text} x={place.labelAt(index)} y={HEIGHT_PX - 6} textAnchor="middle">
            {tick}
          </text>
        ),
    )}
  </g>
);
