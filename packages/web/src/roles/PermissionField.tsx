import { Fieldset, Stack } from '@mantine/core';
import { CheckList } from '../app/CheckList.tsx';
import { Dimmed } from '../app/Dimmed.tsx';
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
  const items = choices.map(({ name, description: given }) => {
    const isClosed = !mayGive(name);
    const description = isDescribed(name) ? t.service[name] : given;
    return {
      value: name,
      description: isClosed ? `${description ? `${description}. ` : ''}${t.cannotGive}` : description,
      disabled: isClosed,
    };
  });
  const product = items.filter((item) => !isOfService(item.value));
  return (
    <>
      <Fieldset legend={t.productTitle}>
        <Stack gap="sm">
          {product.length === 0 && <Dimmed>{t.noProduct}</Dimmed>}
          <CheckList items={product} value={value} onChange={onChange} />
        </Stack>
      </Fieldset>
      <Fieldset legend={t.serviceTitle}>
        <Stack gap="sm">
          <CheckList items={items.filter((item) => isOfService(item.value))} value={value} onChange={onChange} />
        </Stack>
      </Fieldset>
    </>
  );
}
