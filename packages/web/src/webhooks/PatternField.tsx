import { Button, Checkbox, Fieldset, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useText as useAuditText } from '../activity/text.ts';
import { actionName } from '../activity/words.ts';
import classes from './PatternField.module.css';
import { type ActionGroup, groupActions, isCovered, isPattern } from './patterns.ts';
import { useWebhookSource } from './source.ts';
import { useText } from './text.ts';

interface Props {
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
  readonly error: string | undefined;
}

export function PatternField({ value, onChange, error }: Props) {
  const t = useText().patterns;
  const audit = useAuditText();
  const { without } = useWebhookSource();
  const groups = groupActions(Object.keys(audit.actions), without);
  const isAll = value.includes('*');
  const [selected, setSelected] = useState<readonly string[]>(isAll ? [] : value);
  // A typed pattern stays in the list when its box is cleared.
  const known = groups.flatMap(({ pattern, actions }) => [pattern, ...actions]);
  const [typed, setTyped] = useState(selected.filter((pattern) => !known.includes(pattern)));
  const select = (next: readonly string[]) => {
    setSelected(next);
    onChange(next);
  };
  const box: RenderBox = (pattern, label, description) => (
    <Checkbox
      key={pattern}
      label={label}
      description={description}
      checked={selected.includes(pattern) || isCovered(pattern, selected)}
      disabled={isCovered(pattern, selected)}
      onChange={(event) =>
        select(event.currentTarget.checked ? [...selected, pattern] : selected.filter((other) => other !== pattern))
      }
    />
  );
  const add = (pattern: string) => {
    if (!known.includes(pattern)) setTyped([...new Set([...typed, pattern])]);
    select([...new Set([...selected, pattern])]);
  };
  return (
    <Stack gap="sm">
      <Radio.Group
        label={t.label}
        value={isAll ? 'all' : 'selected'}
        onChange={(next) => onChange(next === 'all' ? ['*'] : selected)}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={t.all} />
          <Radio value="selected" label={t.selected} />
        </Stack>
      </Radio.Group>
      {!isAll && (
        <Fieldset legend={t.selected}>
          <Stack gap="md">
            {groups.map((group) => (
              <GroupBoxes key={group.name} group={group} box={box} />
            ))}
            {typed.length > 0 && (
              <Stack gap="xs" role="group" aria-label={t.typed}>
                {typed.map((pattern) => box(pattern, pattern))}
              </Stack>
            )}
            <AddField onAdd={add} />
          </Stack>
        </Fieldset>
      )}
      <div role="alert">
        {error && (
          <Text size="sm" c="var(--mantine-color-error)">
            {error}
          </Text>
        )}
      </div>
    </Stack>
  );
}

type RenderBox = (pattern: string, label: string, description?: string) => React.ReactNode;

function GroupBoxes({ group: { name, pattern, actions }, box }: { group: ActionGroup; box: RenderBox }) {
  const t = useText().patterns;
  const audit = useAuditText();
  const label = t.groups[name];
  return (
    <div>
      {box(pattern, label, pattern)}
      <details className={classes.single}>
        <summary>{t.single(label)}</summary>
        <Stack gap="xs" mt="xs">
          {actions.map((action) => box(action, actionName(action, audit), action))}
        </Stack>
      </details>
    </div>
  );
}

function AddField({ onAdd }: { onAdd: (pattern: string) => void }) {
  const t = useText().patterns;
  const [pattern, setPattern] = useState('');
  const [isWrong, setIsWrong] = useState(false);
  const add = () => {
    const given = pattern.trim();
    setIsWrong(!isPattern(given));
    if (!isPattern(given)) return;
    onAdd(given);
    setPattern('');
  };
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        flex="1 1 12rem"
        label={t.add}
        description={t.addHint}
        maxLength={120}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        error={isWrong && t.addWrong}
        value={pattern}
        onChange={(event) => {
          setPattern(event.currentTarget.value);
          setIsWrong(false);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // Adds the pattern instead of saving the webhook.
          event.preventDefault();
          add();
        }}
      />
      <Button variant="default" onClick={add}>
        {t.addVerb}
      </Button>
    </Group>
  );
}
