import { type ReactNode, useEffect, useRef } from 'react';
import { useTitle } from '../ui/title.ts';
import classes from './Frame.module.css';

let isFirst = true;

interface Props {
  readonly title: string;
  readonly lead: ReactNode;
}

/** When the step changes, the heading gets the focus, so that it is read aloud, unless a field has the focus. */
export function Heading({ title, lead }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useTitle(title);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another title is another step
  useEffect(() => {
    if (!isFirst && document.activeElement === document.body) heading.current?.focus();
    isFirst = false;
  }, [title]);
  return (
    <div>
      <h1 ref={heading} tabIndex={-1} className={classes.title}>
        {title}
      </h1>
      {lead && <div className={classes.lead}>{lead}</div>}
    </div>
  );
}
