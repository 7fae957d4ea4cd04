import type { FeatureFlag } from '@gatehouse/contract';
import { Code, Group } from '@mantine/core';
import { ConfirmButton } from '../../app/ConfirmButton.tsx';
import { DialogButton } from '../../app/CreateDialog.tsx';
import { Dimmed } from '../../app/Dimmed.tsx';
import { Tag } from '../../app/Tag.tsx';
import { client } from '../../ui/client.ts';
import { useLanguage } from '../../ui/language.tsx';
import { useWords } from '../../ui/words.ts';
import { FlagForm } from './FlagForm.tsx';
import classes from './FlagList.module.css';
import { FlagSwitch } from './FlagSwitch.tsx';
import { reloadFlags, type Scope } from './query.ts';
import { useText } from './text.ts';
import { bytesOf, type Value, writeValue } from './value.ts';

interface Props {
  readonly flagKey: string;
  /** Undefined: the flag has no row for this scope. */
  readonly row: FeatureFlag | undefined;
  /** The initial content of the form if there is no row yet. */
  readonly begin?: FeatureFlag | undefined;
  readonly scope: Scope;
  readonly title: string;
  readonly mayChange: boolean;
}

export function FlagCell({ flagKey, row, begin, scope, title, mayChange }: Props) {
  const t = useText();
  const words = useWords();
  const isOwn = scope.organization_id !== null;
  const remove = async () => {
    await client.flags.remove(flagKey, scope.organization_id);
    await reloadFlags();
  };
  return (
    <div className={classes.cell}>
      <span className={classes.scope}>{title}</span>
      {row && (mayChange ? <FlagSwitch row={row} title={title} /> : <State enabled={row.enabled} />)}
      {row && <FlagValue value={row.value} />}
      {!row && <Dimmed>{isOwn ? t.asDefault : t.noDefault}</Dimmed>}
      {mayChange && (
        <Group gap="xs">
          <DialogButton
            size="xs"
            verb={row ? t.edit : isOwn ? t.override : t.setDefault}
            label={row && t.editLabel(flagKey, title)}
            title={t.editTitle(flagKey)}
            wide
            tall
          >
            <FlagForm flagKey={flagKey} begin={row ?? begin} scopes={[scope]} />
          </DialogButton>
          {row && (
            <ConfirmButton
              label={t.removeLabel(flagKey, title)}
              title={isOwn ? t.removeOwnTitle : t.removeTitle}
              question={isOwn ? t.removeOwnQuestion(flagKey, scope.name) : t.removeQuestion(flagKey)}
              verb={words.remove}
              work={remove}
              sentences={{ not_found: t.removed }}
            />
          )}
        </Group>
      )}
    </div>
  );
}

function State({ enabled }: { enabled: boolean }) {
  const t = useText();
  return (
    <Tag marked tone={enabled ? 'good' : 'plain'}>
      {enabled ? t.on : t.off}
    </Tag>
  );
}

/** Longer values are collapsed. */
const MAX_INLINE_LENGTH = 80;

function FlagValue({ value }: { value: Value }) {
  const t = useText();
  const { language } = useLanguage();
  if (value === null) return null;
  const line = JSON.stringify(value);
  if (line.length <= MAX_INLINE_LENGTH) return <Code className={classes.value}>{line}</Code>;
  const size = bytesOf(value).toLocaleString(language, { style: 'unit', unit: 'byte', unitDisplay: 'long' });
  return (
    <details>
      <summary className={classes.summary}>{t.value(size)}</summary>
      <Code block className={classes.value}>
        {writeValue(value)}
      </Code>
    </details>
  );
}
