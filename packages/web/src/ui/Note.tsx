import type { Ref } from 'react';
import { Icon } from './Icon.tsx';
import classes from './Note.module.css';

interface Props {
  /** The message: what happened, then what to do. The first sentence is emphasized. */
  readonly children: string;
  /** `info`: nothing has failed. */
  readonly tone?: 'error' | 'info';
  readonly link?: { readonly href: string; readonly label: string } | undefined;
  /** The request id, which the user can pass to support. */
  readonly reference?: string | undefined;
  readonly ref?: Ref<HTMLDivElement>;
}

/** A message above a form, announced by screen readers. */
export function Note({ children, tone = 'error', link, reference, ref }: Props) {
  const [first, rest] = splitSentences(children);
  return (
    <div ref={ref} role={tone === 'error' ? 'alert' : 'status'} className={classes.note} data-tone={tone}>
      <Icon name={tone === 'error' ? 'alert' : 'info'} />
      <div>
        <strong className={classes.first}>{first}</strong> {rest}
        {link && (
          <span className={classes.link}>
            <a href={link.href}>{link.label}</a>
          </span>
        )}
        {reference && <span className={classes.reference}>{reference}</span>}
      </div>
    </div>
  );
}

function splitSentences(text: string): readonly [string, string] {
  const end = /[.!?](?=\s)/.exec(text);
  return end ? [text.slice(0, end.index + 1), text.slice(end.index + 2)] : [text, ''];
}
