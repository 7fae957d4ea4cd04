import { Button, Checkbox, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type Choice, isDescribed, isOfService, isPermissionName } from './permissions.ts';
import { useText } from './text.ts';

interface Props {
  readonly choices: readonly Choice[];
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
  /** Whether the viewer may give this permission. */
  readonly mayGive: (name: string) => boolean;
  /** The viewer cannot list the permissions of the product, so names can be typed. */
  readonly canType: boolean;
}

export function PermissionField({ choices, value, onChange, mayGive, canType }: Props) {
  const t = useText();
  // A typed name stays in the list when its box is cleared.
  const [typed, setTyped] = useState<readonly string[]>([]);
  const added = typed.filter((name) => choices.every((choice) => choice.name !== name));
  const all = [...choices, ...added.map((name) => ({ name, description: null }))];
  const product = all.filter(({ name }) => !isOfService(name));
  const add = (name: string) => {
    setTyped([...new Set([...typed, name])]);
    onChange([...new Set([...value, name])]);
  };
  const toggle = (name: string) => (event: { currentTarget: HTMLInputElement }) =>
    onChange(event.currentTarget.checked ? [...value, name] : value.filter((other) => other !== name));
  const box = ({ name, description: given }: Choice) => {
    const isClosed = !mayGive(name);
    const description = isDescribed(name) ? t.service[name] : given;
    return (
      <Checkbox
        key={name}
        label={name}
        description={isClosed ? `${description ? `${description}. ` : ''}${t.cannotGive}` : description}
        checked={value.includes(name)}
        disabled={isClosed}
        onChange={toggle(name)}
      />
    );
  };
  return (
    <>
      <Fieldset legend={t.productTitle}>
        <Stack gap="sm">
          {product.length === 0 && (
            <Text size="sm" c="dimmed">
              {canType ? t.noneKnown : t.noProduct}
            </Text>
          )}
          {product.map(box)}
          {canType && <AddField onAdd={add} />}
        </Stack>
      </Fieldset>
      <Fieldset legend={t.serviceTitle}>
        <Stack gap="sm">{all.filter(({ name }) => isOfService(name)).map(box)}</Stack>
      </Fieldset>
    </>
  );
}

function AddField({ onAdd }: { onAdd: (name: string) => void }) {
  const t = useText();
  const [name, setName] = useState('');
  const [isWrong, setIsWrong] = useState(false);
  const add = () => {
    const given = name.trim();
    setIsWrong(!isPermissionName(given));
    if (!isPermissionName(given)) return;
    onAdd(given);
    setName('');
  };
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        flex="1 1 12rem"
        label={t.add}
        description={t.addHint}
        maxLength={80}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        error={isWrong && t.addWrong}
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value);
          setIsWrong(false);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // Adds the permission instead of saving the role.
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
