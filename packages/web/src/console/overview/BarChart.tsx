import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, useState } from 'react';
import { useLanguage } from '../../ui/language.tsx';
import { Axes } from './Axes.tsx';
import classes from './BarChart.module.css';
import { axisTicks, type Bar, HEIGHT_PX, layOut, TOP } from './scale.ts';

interface Props {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly tone: 'good' | 'bad';
  readonly empty: string;
}

/** Bars over time. The chart is one tab stop, arrow keys move between bars; a bar shows its label on hover or focus. */
export function BarChart({ label, bars, tone, empty }: Props) {
  const { language } = useLanguage();
  const { ref, width } = useElementSize();
  const [stop, setStop] = useState(bars.length - 1);
  const [shown, setShown] = useState<number>();
  const ticks = axisTicks(Math.max(...bars.map(({ value }) => value)));
  const names = ticks.map((tick) => tick.toLocaleString(language));
  const place = layOut({ width, ticks, names, count: bars.length });
  // New data may have fewer bars than the position of the tab stop.
  const reachable = Math.min(stop, bars.length - 1);
  const tip = shown === undefined ? undefined : bars[shown];

  const move = (event: KeyboardEvent<SVGGElement>, index: number) => {
    const next = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: bars.length - 1 }[event.key];
    if (next === undefined || !bars[next]) return;
    event.preventDefault();
    setStop(next);
    (event.currentTarget.parentElement?.children[next] as SVGGElement | undefined)?.focus();
  };

  return (
    <div ref={ref} className={classes.chart} style={{ height: HEIGHT_PX }} data-tone={tone}>
      {width > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: an svg cannot be a fieldset
        <svg width={width} height={HEIGHT_PX} role="group" aria-label={label}>
          <Axes place={place} ticks={ticks} names={names} bars={bars} />
          <g>
            {bars.map((bar, index) => (
              // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: an image whose label is read on focus
              <g
                key={bar.at}
                role="img"
                aria-label={bar.label}
                className={classes.bar}
                tabIndex={index === reachable ? 0 : -1}
                onKeyDown={(event) => move(event, index)}
                onFocus={() => setShown(index)}
                onBlur={() => setShown(undefined)}
                onPointerEnter={() => setShown(index)}
                onPointerLeave={() => setShown(undefined)}
              >
                <rect className={classes.ground} {...place.column(index)} y={TOP} height={place.y(0) - TOP} />
                {bar.value > 0 && (
                  <rect
                    className={classes.fill}
                    data-open={bar.open || undefined}
                    {...place.column(index, 0.7)}
                    y={place.y(bar.value)}
                    height={place.y(0) - place.y(bar.value)}
                    rx={2}
                  />
                )}
              </g>
            ))}
          </g>
        </svg>
      )}
      {bars.every(({ value }) => value === 0) && <p className={classes.empty}>{empty}</p>}
      {tip && (
        <div
          className={classes.tip}
          aria-hidden="true"
          style={{ left: `clamp(6rem, ${place.middle(shown!)}px, 100% - 6rem)`, top: place.y(tip.value) }}
        >
          {tip.label}
        </div>
      )}
    </div>
  );
}
