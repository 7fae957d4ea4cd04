import { FlagCell } from './FlagCell.tsx';
import classes from './FlagList.module.css';
import type { Flag, Scope } from './query.ts';
import { useText } from './text.ts';

interface Props {
  readonly flag: Flag;
  readonly own: Scope | undefined;
  readonly mayChange: boolean;
}

export function FlagItem({ flag: { key, all, own: row }, own, mayChange }: Props) {
  const t = useText();
  const everybody: Scope = { organization_id: null, name: t.default };
  return (
    <li className={classes.flag}>
      <h2 className={classes.key}>{key}</h2>
      <FlagCell flagKey={key} row={all} scope={everybody} title={t.default} mayChange={mayChange} />
      {own && (
        <FlagCell
          flagKey={key}
          row={row}
          begin={all}
          scope={own}
          title={t.forOrganization(own.name)}
          mayChange={mayChange}
        />
      )}
    </li>
  );
}
