import { useSuspenseQuery } from '@tanstack/react-query';
import { Empty } from '../../app/Empty.tsx';
import { useFilters } from '../../app/search.ts';
import { Panel } from '../../ui/Panel.tsx';
import { FlagItem } from './FlagItem.tsx';
import classes from './FlagList.module.css';
import { flagsQuery, groupFlags, type Scope } from './query.ts';
import { useText } from './text.ts';

interface Props {
  readonly own: Scope | undefined;
  readonly mayChange: boolean;
}

export function FlagList({ own, mayChange }: Props) {
  const t = useText();
  const [{ q = '' }] = useFilters();
  const { data } = useSuspenseQuery(flagsQuery(own?.organization_id ?? undefined));
  const flags = groupFlags(data);
  const found = flags.filter(({ key }) => key.toLowerCase().includes(q.toLowerCase()));
  if (found.length === 0) {
    return (
      <Panel>
        <Empty icon="flag" title={flags.length === 0 ? t.emptyTitle : t.noneFoundTitle}>
          {flags.length === 0 ? t.empty : t.noneFound}
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel>
      <ul className={classes.flags} aria-label={t.list}>
        {found.map((flag) => (
          <FlagItem key={flag.key} flag={flag} own={own} mayChange={mayChange} />
        ))}
      </ul>
    </Panel>
  );
}
