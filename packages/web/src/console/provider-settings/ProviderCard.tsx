import type { ProviderView } from '@gatehouse/contract';
import { Anchor, Code } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Fact, Facts } from '../../app/Facts.tsx';
import { Tag } from '../../app/Tag.tsx';
import { useConsoleText } from '../text.ts';
import classes from './Providers.module.css';
import { statusOf } from './status.ts';
import { useText } from './text.ts';

export function ProviderCard({ view }: { view: ProviderView }) {
  const t = useText();
  const { tone, word, sentence } = statusOf(view, t, useConsoleText());
  return (
    <li className={classes.card}>
      <div className={classes.head}>
        <div>
          <h2 className={classes.name}>
            <Anchor component={Link} to={`/console/providers/${view.provider}`} inherit>
              {view.name}
            </Anchor>
          </h2>
          <span className={classes.wire}>{view.provider}</span>
        </div>
        <Tag marked tone={tone}>
          {word}
        </Tag>
      </div>
      <p className={classes.sentence}>{sentence}</p>
      {view.updated_at !== null && (
        <Facts>
          <Fact name={t.changed} at={view.updated_at} />
          {view.key_id && (
            <Fact name={t.keyId}>
              <Code>{view.key_id}</Code>
            </Fact>
          )}
        </Facts>
      )}
    </li>
  );
}
