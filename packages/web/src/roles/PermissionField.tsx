import { Checkbox, Fieldset, Stack, Text } from '@mantine/core';
import { type Choice, isDescribed, isOfService } from './permissions.ts';
import { useText } from './text.ts';

interface Props {
  readonly choices: readonly Choice[];
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
  readonly mayGive: (name: string) => boolean;
}

export function PermissionField({ choices, value, onChange, mayGive }: Props) {
  const t = useText();
  const product = choices.filter(({ name }) => !isOfService(name));
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
              {t.noProduct}
            </Text>
          )}
          {product.map(box)}
        </Stack>
      </Fieldset>
      <Fieldset legend={t.serviceTitle}>
        <Stack gap="sm">{choices.filter(({ name }) => isOfService(name)).map(box)}</Stack>
      </Fieldset>
    </>
  );
}
